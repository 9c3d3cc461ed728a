"""Phases of a grouped kernel (spec/sspur.md 1.5): what each shared array may be used for between two barriers."""
from random_bodies import CLASSES
from random_expressions import Array, Own, Scope
from trees import INTEGERS, Node, block, integer, name

MODES = ["idle", "read", "read", "own", "own", "shifted", "apart", "one", "atomic", "atomic"]


class Shared:
    def __init__(self, array, extra, declaration):
        self.array, self.extra, self.declaration = array, extra, declaration


def plus(a, b):
    return Node("binary", "Int", "+", [a, b])


class Groups:
    """body: of the kernel; lane: the linear id in the group; size: threads of a group."""

    def __init__(self, body, lane, size):
        self.body, self.lane, self.size = body, lane, size
        self.random = body.random
        self.arrays = []
        self.loops = []  # variables of the loops around, all in 0..4

    def declare(self):
        r = self.random
        left = 32768
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            type = r.choice(list(CLASSES))
            extra = r.choice([0, 0, 4, 4, self.size + 4])
            bytes_each = 8 if type in ("Int", "F64") else 4
            if (self.size + extra) * bytes_each > left:
                continue
            left -= (self.size + extra) * bytes_each
            self.add(type, extra)
        return [s.declaration for s in self.arrays]

    def add(self, type, extra):
        r = self.random
        length = self.size + extra
        lo, hi = r.choice(CLASSES[type])
        text = self.body.fresh("s")
        size = integer(length)
        if self.body.one_axis and r.random() < 0.5:
            size = name("group_size", "Int")
            size = plus(size, integer(extra)) if extra else size
        declaration = Node("shared", type, text, [size])
        self.arrays.append(Shared(Array(text, type, lo, hi, length), extra, declaration))

    # ---- Phases ----

    def open(self, s, scope):
        """Gives the scope what the array's mode allows; answers statements that use it."""
        r, a, body = self.random, s.array, self.body
        mode = r.choice(MODES)
        scope.lengths.append(a)
        if mode == "read":
            scope.arrays.append(a)
        elif mode == "own":
            scope.owned.append(Own(a, self.lane))
        elif mode == "shifted" and s.extra >= 4:
            offset = integer(r.randint(0, 4))
            if self.loops and r.random() < 0.5:
                offset = r.choice(self.loops).copy()
            scope.owned.append(Own(a, plus(self.lane.copy(), offset)))
        elif mode == "apart" and s.extra > self.size:
            scope.owned.append(Own(a, self.lane, readable=r.random() < 0.5))
            scope.owned.append(Own(a, plus(self.lane.copy(), integer(self.size)), writable=False))
        elif mode == "one":
            return [self.alone(a)]
        elif mode == "atomic" and a.type in ("I32", "U32", "F32"):
            return [self.atomics(s, scope)]
        return []

    def alone(self, a):
        """One thread of the group, any element."""
        r, body = self.random, self.body
        at = integer(r.randrange(self.size))

        def make():
            scope = body.expressions.scope
            scope.arrays.append(a)
            index = integer(r.randrange(a.length))
            stores = [body.store_to(Own(a, index))]
            if r.random() < 0.4:
                stores.append(body.loop(min(5, a.length), lambda: block([body.store_to(Own(a, self.last_loop()))])))
            return block(stores)

        condition = Node("binary", "Bool", "==", [self.lane.copy(), at])
        return Node("when", None, r.random() < 0.5, [condition, body.inside(make)])

    def last_loop(self):
        """The innermost loop's variable as an index, if it is one."""
        n = self.body.expressions.scope.names[-1]
        return n.copy() if n.lo >= 0 and n.hi <= 5 and n.value.startswith("i") else integer(0)

    def atomics(self, s, scope):
        r, a = self.random, s.array
        full = INTEGERS.get(a.type, (None, None))
        op = r.choice(["atomic_add", "atomic_min", "atomic_max", "atomic_cas"]) if a.type != "F32" else "atomic_add"
        if (a.lo, a.hi) == full and r.random() < 0.5:
            op = "atomic_add"
        if op == "atomic_add" and (a.lo, a.hi) != full:
            op = r.choice(["atomic_min", "atomic_max"])
        pair = None
        if op == "atomic_cas":
            pair = [integer(r.choice([0, 1]), a.type), integer(r.randint(max(a.lo, 0), min(a.hi, 9)), a.type)]
        entry = (a, op, pair)
        scope.atomics.append(entry)
        return self.body.atomic(1)

    def phase(self):
        body, r = self.body, self.random
        scope = body.expressions.scope
        kept = (list(scope.arrays), list(scope.owned), list(scope.atomics), list(scope.lengths))
        made = []
        for s in self.arrays:
            made += self.open(s, scope)
        stores = [body.store_to(o) for o in scope.owned if o.writable and o not in kept[1] and r.random() < 0.9]
        made += body.statements(r.randint(0, 2), 2) + stores
        if scope.atomics != kept[2] and r.random() < 0.5:
            made.append(body.loop(3, lambda: block([body.atomic(1)])))
        scope.arrays, scope.owned, scope.atomics, scope.lengths = (kept[0], kept[1], kept[2], kept[3])
        return made + [Node("barrier")]

    def reduction(self):
        """A tree over the first elements of an array, by halving."""
        r, body = self.random, self.body
        steps = self.size.bit_length() - 1
        usable = [s for s in self.arrays if s.array.type in ("F32", "F64") or s.array.lo == INTEGERS[s.array.type][0]]
        if not usable or steps < 1:
            return self.phase()
        a = r.choice(usable).array
        k, half = body.fresh("i"), body.fresh()
        mine = Node("index", a.type, a.name, [self.lane.copy()], a.lo, a.hi)
        other = Node("index", a.type, a.name, [plus(self.lane.copy(), name(half, "Int"))], a.lo, a.hi)
        op = r.choice(["+", "*", "min", "max"]) if a.type in ("F32", "F64") else r.choice(["min", "max", "bxor", "band"])
        value = Node("binary" if op in "+*" else "method", a.type, op, [mine, other])
        store = Node("store", a.type, a.name, [self.lane.copy(), value])
        halved = Node("method", "Int", "shr", [integer(1 << (steps - 1)), name(k, "Int")])
        guard = Node("binary", "Bool", "<", [self.lane.copy(), name(half, "Int")])
        if r.random() < 0.3:
            guard = Node("binary", "Bool", "and", [guard, body.expressions.truth(1)])
        loop = block([Node("let", "Int", half, [halved]), Node("when", None, True, [guard, block([store])]), Node("barrier")])
        return [Node("for", None, k, [integer(0), integer(steps), loop])]

    def part(self, depth):
        r, body = self.random, self.body
        kind = r.choice(["phase", "phase", "phase", "reduction", "for", "when"]) if depth else "phase"
        if kind == "phase":
            return self.phase()
        if kind == "reduction":
            return self.reduction()
        if kind == "for":
            return [self.loop(depth)]
        condition = body.expressions.uniform("Bool", 2)
        branches = [body.inside(self.parts, depth - 1) for _ in range(r.choice([1, 2]))]
        return [Node("when", None, r.random() < 0.3, [condition] + branches)]

    def loop(self, depth):
        r, body = self.random, self.body
        variable = body.fresh("i")
        if r.random() < 0.5:
            a, b = integer(r.randint(0, 1)), integer(r.randint(1, 5))
        else:
            a, b = integer(0), body.clamped(body.expressions.uniform("Int", 1), 0, r.randint(1, 4))

        def make():
            v = name(variable, "Int", 0, 4)
            body.expressions.scope.names.append(v)
            body.expressions.scope.uniform.append(v)
            self.loops.append(v)
            made = self.parts(depth - 1)
            self.loops.pop()
            return made

        before, body.budget = body.budget, body.budget // 4
        made = Node("for", None, variable, [a, b, body.inside(make)])
        body.budget = before
        return made

    def parts(self, depth):
        made = []
        for _ in range(self.random.randint(1, 2)):
            made += self.part(depth)
        return block(made)

    def read_all(self):
        scope = self.body.expressions.scope
        for s in self.arrays:
            scope.arrays.append(s.array)
            scope.lengths.append(s.array)
