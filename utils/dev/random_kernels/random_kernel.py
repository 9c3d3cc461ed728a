"""Random kernels: signature, grid, the index of each slice, the body."""
from random_bodies import Body, CLASSES
from random_expressions import Array, Expressions, Own, Scope
from random_groups import Groups, plus
from random_helpers import default_float
from trees import INTEGERS, NUMBERS, Node, block, integer, name

GROUPS = [1, 2, 3, 4, 7, 8, 8, 16, 16, 32, 32, 33, 64, 64, 100, 128, 256, 1024]
SHAPES = [(1, 1), (2, 2), (4, 2), (3, 5), (8, 4), (8, 8), (16, 2), (1, 8), (16, 16), (5, 1)]


class Parameter:
    """A slice (length, mutable) or a scalar; lo and hi: of integers, in the arguments of every launch."""

    def __init__(self, name, type, lo=None, hi=None, length=None, mutable=False):
        self.name, self.type, self.lo, self.hi, self.length, self.mutable = name, type, lo, hi, length, mutable
        self.choices = None  # values to choose from, where not all will do

    def text(self):
        return self.type if self.length is None else f"{'&mut ' if self.mutable else '&'}[{self.type}]"


class Kernel:
    def __init__(self, r, number, helpers, wild=0.0, trap=False):
        self.random, self.name = r, f"k{number}"
        self.parameters = []
        self.trap = trap
        self.wild = wild
        self.helpers = [h for h in helpers if h.level <= 8]
        self.shared = []  # that are for reading when the slices are written
        self.one_axis = r.random() < 0.75
        self.commits = r.random() < 0.25  # computes, then stores: flagged threads can run again alone (spec/sspur.md 3.4)
        self.grouped = not self.commits and r.random() < 0.5
        self.choose_size()
        self.choose_grid()
        self.plans = []  # (how, array, more) of each mutable slice
        self.choose_slices()
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            self.scalar(r.choice(NUMBERS + ("Int", "Bool")))
        self.node = self.make()

    # ---- Sizes ----

    def choose_size(self):
        r = self.random
        if self.one_axis:
            self.group = (r.choice(GROUPS),)
            g = self.group[0]
            if self.grouped:
                self.extent = (g * r.choice([1, 2, 3] if g <= 64 else [1]),)
            else:
                self.extent = (r.choice([1, 2, 5, 8, 17, 31, 33, 40, 64, 100, 130]),)
                if r.random() < 0.02:
                    self.extent = (3000,)
        else:
            self.group = r.choice(SHAPES)
            if self.grouped:
                self.extent = tuple(g * r.choice([1, 2, 3] if g < 16 else [1]) for g in self.group)
            else:
                self.extent = (r.choice([1, 3, 8, 9, 16]), r.choice([1, 2, 5, 8]))
        self.threads = self.extent[0] * (1 if self.one_axis else self.extent[1])
        self.lanes = self.group[0] * (1 if self.one_axis else self.group[1])

    def scalar(self, type, lo=None, hi=None):
        r = self.random
        if type in INTEGERS and lo is None:
            lo, hi = r.choice(CLASSES[type])
        p = Parameter(f"p{len(self.parameters)}", type, lo, hi)
        self.parameters.append(p)
        return p

    def slice(self, type, length, mutable, interval=None):
        lo, hi = interval or self.random.choice(CLASSES[type])
        p = Parameter(f"x{len(self.parameters)}", type, lo, hi, length, mutable)
        self.parameters.append(p)
        return p

    def extent_by_scalar(self, axis):
        """A parameter that is the number of threads: any up to the largest, or whole groups."""
        r, most, g = self.random, self.extent[axis], self.group[axis]
        p = self.scalar("Int", 0, most)
        p.choices = list(range(0, most + 1, g)) if self.grouped else [0, most, most, most, max(most - 1, 0), most // 2]
        p.choices += [most] * 3 + [-g]
        return name(p.name, "Int", 0, most)

    def choose_grid(self):
        r = self.random
        self.length_parameter = None
        self.grid, self.least = [], []
        for axis, most in enumerate(self.extent):
            way = r.randrange(5)
            if way == 0:
                self.grid.append(integer(most))
            elif way == 1:
                node = self.extent_by_scalar(axis)
                self.grid.append(node)
            elif way == 2 and not self.grouped:
                p = self.scalar("Int", 1, most)
                self.grid.append(Node("method", "Int", "min", [name(p.name, "Int"), integer(most)]))
            elif way == 3:
                length = self.slice(r.choice(NUMBERS), most + 1, False)
                self.grid.append(Node("binary", "Int", "-", [Node("len", "Int", length.name), integer(1)]))
            else:
                length = self.slice(r.choice(NUMBERS), most, False) if not self.one_axis or r.random() < 0.3 else None
                if length:
                    self.grid.append(Node("len", "Int", length.name))
                else:
                    self.length_parameter = True
                    self.grid.append(None)

    # ---- Slices and who may touch what ----

    def choose_slices(self):
        r = self.random
        for i in range(1 if self.commits and not self.one_axis else r.choice([1, 1, 2, 3])):
            self.plan(first=i == 0 and self.length_parameter)
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            self.slice(r.choice(NUMBERS), r.choice([1, 2, 7, 8, 16, 33, 64, self.threads]), False)

    def linear(self):
        if self.one_axis:
            return name("gid", "Int", 0, self.threads - 1)
        width = self.grid[0].copy() if self.random.random() < 0.7 else name("grid_size.x", "Int")
        return plus(Node("binary", "Int", "*", [name("gid.y", "Int"), width]), name("gid.x", "Int"))

    def plan(self, first):
        r = self.random
        type = r.choice(NUMBERS)
        how = "own" if first or self.commits else r.choice(["own", "own", "own", "offset", "block", "group", "atomic", "atomic"])
        if how == "atomic":
            return self.plan_atomic()
        if how == "block" and self.one_axis:
            return self.plan_block(type)
        if how == "group" and self.one_axis:
            return self.plan_group(type)
        offset = None
        index = self.linear()
        more = 0
        if how == "offset":
            more = r.randint(1, 3)
            offset = integer(more)
            if r.random() < 0.4:
                p = self.scalar("Int", 0, more)
                offset = name(p.name, "Int")
            index = plus(index, offset) if r.random() < 0.7 or not self.one_axis else plus(offset, index)
        p = self.slice(type, self.threads + more, True)
        if first:
            self.grid[0] = Node("len", "Int", p.name)
        a = Array(p.name, type, p.lo, p.hi, p.length)
        self.plans.append(("own", a, index))

    def plan_block(self, type):
        r = self.random
        most = r.randint(1, 4)
        step = integer(most)
        if r.random() < 0.4:
            q = self.scalar("Int", 1, most)
            step = name(q.name, "Int", 1, most)
        p = self.slice(type, self.threads * most, True)
        self.plans.append(("block", Array(p.name, type, p.lo, p.hi, p.length), (step, most)))

    def plan_group(self, type):
        r = self.random
        groups = (self.threads + self.lanes - 1) // self.lanes
        more = r.choice([0, 0, 1, 3])
        at = integer(r.randrange(self.lanes))
        if r.random() < 0.3:
            q = self.scalar("Int", 0, self.lanes - 1)
            at = name(q.name, "Int")
        p = self.slice(type, groups + more, True)
        index = name("group_id", "Int")
        self.plans.append(("group", Array(p.name, type, p.lo, p.hi, p.length), (plus(index, integer(more)) if more else index, at)))

    def plan_atomic(self):
        r = self.random
        type = r.choice(["I32", "U32", "I32", "U32", "F32"])
        full = INTEGERS.get(type, (None, None))
        op = r.choice(["atomic_add", "atomic_min", "atomic_max", "atomic_cas"]) if type != "F32" else "atomic_add"
        p = self.slice(type, r.choice([1, 2, 8, 16, 33]), True, full if op in ("atomic_add",) else None)
        pair = None
        if op == "atomic_cas":
            pair = [integer(r.choice([0, 1]), type), integer(r.randint(max(p.lo, 0), min(p.hi, 9)), type)]
            if r.random() < 0.4:
                q = self.scalar(type, max(p.lo, 0), min(p.hi, 100))
                pair[1] = name(q.name, type)
        self.plans.append(("atomic", Array(p.name, type, p.lo, p.hi, p.length), (op, pair)))

    # ---- The body ----

    def scope(self):
        s = Scope()
        if self.one_axis:
            n = self.threads
            s.names = [name("gid", "Int", 0, n - 1), name("gid", "Int", 0, n - 1), name("lid", "Int", 0, self.lanes - 1),
                       name("group_id", "Int", 0, (n - 1) // self.lanes), name("group_size", "Int", self.lanes, self.lanes),
                       name("grid_size", "Int", 1, n)]
            s.uniform = s.names[3:]
        else:
            for axis, extent, g in zip("xy", self.extent, self.group):
                ids = [name(f"gid.{axis}", "Int", 0, extent - 1), name(f"lid.{axis}", "Int", 0, g - 1),
                       name(f"group_id.{axis}", "Int", 0, (extent - 1) // g), name(f"group_size.{axis}", "Int", g, g),
                       name(f"grid_size.{axis}", "Int", 1, extent)]
                s.names += ids
                s.uniform += ids[2:]
        for p in self.parameters:
            if p.length is not None:
                a = Array(p.name, p.type, p.lo, p.hi, p.length)
                s.lengths.append(a)
                if not p.mutable:
                    s.arrays.append(a)
            else:
                s.names.append(name(p.name, p.type, p.lo, p.hi))
                s.uniform.append(s.names[-1])
        return s

    def use_plans(self, scope):
        for how, a, more in self.plans:
            if how == "own":
                scope.owned.append(Own(a, more, writable=not self.commits))
            elif how == "atomic":
                scope.atomics.append((a, *more))
            elif how == "block" and more[0].kind == "int":
                gid = Node("binary", "Int", "*", [name("gid", "Int"), more[0].copy()])
                scope.owned.append(Own(a, plus(gid, integer(self.random.randrange(more[1])))))

    def stored(self, body, how, a, more):
        """Statements that write a slice as its plan says."""
        r, e = self.random, body.expressions
        if how == "own":
            element = self.element_of_another(e, a) if r.random() < 0.5 else None
            return [Node("store", a.type, a.name, [more.copy(), element]) if element else body.store_to(Own(a, more))]
        if how == "atomic":
            e.scope.atomics.append((a, *more))
            made = body.atomic(1)
            e.scope.atomics.pop()
            if made.value[0] != a.name:
                made = body.inside(lambda: self.only_atomic(body, a, more))
            return [made]
        if how == "group":
            def alone():
                e.scope.owned.append(Own(a, more[0]))
                made = body.statements(r.randint(0, 2), 1) + [body.store_to(e.scope.owned[-1])]
                return block(made)
            return [Node("when", None, r.random() < 0.5, [Node("binary", "Bool", "==", [name("lid", "Int"), more[1].copy()]), body.inside(alone)])]
        step, most = more
        j = body.fresh("j")

        def row():
            e.scope.names.append(name(j, "Int", 0, most - 1))
            own = Own(a, plus(Node("binary", "Int", "*", [name("gid", "Int"), step.copy()]), name(j, "Int")))
            e.scope.owned.append(own)
            return block(body.statements(r.randint(0, 2), 1) + [body.store_to(own)])

        before, body.budget = body.budget, body.budget // 4
        made = [Node("for", None, j, [integer(0), step.copy(), body.inside(row)])]
        body.budget = before
        return made

    def commit(self, body):
        """All values, then all stores."""
        made, stores = [], []
        if body.trap_in is not None:
            body.trap_in = 1
            made += body.planned_trap()
        for _, a, index in self.plans:
            value = body.value_for(a.type, a.lo, a.hi, self.random.randint(1, 4))
            if not value.flexible:
                made.append(Node("let", a.type, body.fresh(), [value]))
                value = name(made[-1].value, a.type)
            stores.append(Node("store", a.type, a.name, [index.copy(), value]))
        return made + stores

    def element_of_another(self, e, a):
        """What another thread of the group may have left in a shared array, as a value for an element of `a`."""
        found = [s for s in self.shared if (s.type in INTEGERS or a.type not in INTEGERS) and s.length >= self.lanes]
        if not found:
            return None
        s = self.random.choice(found)
        mirrored = Node("binary", "Int", "-", [integer(self.lanes - 1), self.lane()])
        element = Node("index", s.type, s.name, [mirrored], s.lo, s.hi)
        if a.type in INTEGERS:
            element = e.fit(element, a.lo, a.hi)
        return e.convert(element, a.type)

    def only_atomic(self, body, a, more):
        body.expressions.scope.atomics = [(a, *more)]
        return body.atomic(1)

    def trap_context(self):
        r = self.random
        axis = r.randrange(len(self.extent))
        text = "gid" if self.one_axis else f"gid.{'xy'[axis]}"
        return {"thread": name(text, "Int", 0, self.extent[axis] - 1), "at": r.randrange(self.extent[axis])}

    def lane(self):
        if self.one_axis:
            return name("lid", "Int", 0, self.lanes - 1)
        row = Node("binary", "Int", "*", [name("lid.y", "Int"), integer(self.group[0])])
        return plus(row, name("lid.x", "Int"))

    def make(self):
        r = self.random
        types = [p.type for p in self.parameters]
        e = Expressions(r, self.helpers, default_float(types), wild=self.wild)
        e.scope = self.scope()
        body = Body(r, e, 24 if self.threads < 1000 else 4)
        body.one_axis = self.one_axis
        if self.trap:
            body.trap_context, body.trap_in = self.trap_context(), r.randint(1, 12)
        made = []
        if len(self.plans) == 1 and self.plans[0][0] == "own" and not self.grouped and not self.trap and r.random() < 0.5:
            self.use_plans(e.scope)
            return self.kernel([body.store_to(Own(*self.plans[0][1:]))])
        groups = Groups(body, self.lane(), self.lanes) if self.grouped else None
        if groups:
            made += groups.declare()
        self.use_plans(e.scope)
        made += body.statements(r.randint(0, 3), 3)
        if groups:
            made += groups.parts(2).kids
            if made[-1].kind != "barrier":
                made.append(Node("barrier"))
            groups.read_all()
            self.shared = [s.array for s in groups.arrays]
        made += body.statements(r.randint(0, 2), 2)
        if self.commits:
            made += self.commit(body)
        for plan in r.sample(self.plans, 0 if self.commits else len(self.plans)):
            made += self.stored(body, *plan)
            if r.random() < 0.2:
                made += body.statements(1, 1)
        if body.trap_in is not None:
            body.trap_in = 1
            made += body.planned_trap()
        return self.kernel(made)

    def kernel(self, statements):
        r = self.random
        value = {"name": self.name, "parameters": [(p.name, p.text()) for p in self.parameters], "group": self.group,
                 "effect": r.random() < 0.1}
        return Node("kernel", None, value, [Node("grid", kids=self.grid), Node("clauses", kids=self.clauses()), block(statements)])

    def clauses(self):
        """True for all launches that are not meant to fail."""
        r = self.random
        made = []
        for p in self.parameters:
            if r.random() > 0.12 or p.choices:
                continue
            if p.length is not None:
                length = Node("len", "Int", p.name)
                made.append(Node("binary", "Bool", r.choice(["==", ">=", "<="]), [length, integer(p.length)]))
            elif p.type in INTEGERS:
                one = Node("binary", "Bool", ">=", [name(p.name, p.type), integer(p.lo, p.type)])
                other = Node("binary", "Bool", "<=", [name(p.name, p.type), integer(p.hi, p.type)])
                made.append(Node("binary", "Bool", "and", [one, other]))
            elif p.type == "Bool":
                made.append(Node("binary", "Bool", "or", [name(p.name, "Bool"), Node("not", "Bool", None, [name(p.name, "Bool")])]))
            else:
                below = Node("binary", "Bool", "<", [name(p.name, p.type), Node("float", p.type, 0.5)])
                made.append(Node("binary", "Bool", "or", [below, Node("not", "Bool", None, [below.copy()])]))
        return made
