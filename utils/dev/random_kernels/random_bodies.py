"""Random statements and whole kernels. A kernel is made for given buffers, sizes and intervals of its arguments, so that
it traps only where it is asked to, and touches only what the race rule gives each thread (spec/sspur.md 1.4, 1.5)."""
from random_expressions import Scope
from random_traps import trap_statements
from trees import FLOATS, INTEGERS, Node, block, integer, name

CLASSES = {"Int": [(0, 100), (-1000, 1000), (0, 2**31 - 1), (-(2**53), 2**53), INTEGERS["Int"]],
           "I32": [(0, 255), (-1000, 1000), INTEGERS["I32"]],
           "U32": [(0, 15), (0, 65535), INTEGERS["U32"]],
           "F32": [(None, None)], "F64": [(None, None)]}


class Body:
    """Statements in a scope. `budget` bounds how often the innermost statement runs in a thread."""

    def __init__(self, random, expressions, budget=40):
        self.random, self.expressions, self.budget = random, expressions, budget
        self.counter = 0
        self.trap_in = None  # statements until the planned trap
        self.trap_context = None
        self.plain = True  # no loops around a barrier, and no barrier, may be made

    def fresh(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    # ---- Blocks ----

    def inside(self, make, *arguments):
        """Runs make in a scope of its own."""
        e = self.expressions
        outer, e.scope = e.scope, Scope(e.scope)
        made = make(*arguments)
        e.scope = outer
        return made

    def statements(self, count, depth):
        made = []
        for _ in range(count):
            made += self.planned_trap()
            made.append(self.statement(depth))
        return made

    def planned_trap(self):
        if self.trap_in is None:
            return []
        self.trap_in -= 1
        if self.trap_in > 0:
            return []
        self.trap_in = None
        return trap_statements(self)

    def nested(self, depth, least=1):
        return self.inside(lambda: block(self.statements(self.random.randint(least, 3), depth - 1)))

    def statement(self, depth):
        r = self.random
        kinds = ["let", "let", "let", "var", "assign", "assign"]
        if self.expressions.scope.owned:
            kinds += ["store", "store"]
        if self.expressions.scope.atomics:
            kinds += ["atomic", "atomic"]
        if depth > 0:
            kinds += ["when", "when", "for", "for", "accumulate"]
        if r.random() < 0.01:
            return Node("unit")
        return getattr(self, r.choice(kinds))(depth)

    # ---- Statements ----

    def type(self):
        types = self.expressions.types
        return self.random.choice(types + ("Bool",) + tuple(t for t in ("Int", "F32") if t in types))

    def let(self, depth, type=None):
        e = self.expressions
        type = type or self.type()
        value = e.firmly(type, self.random.randint(1, 4))
        made = Node("let", type, self.fresh(), [value])
        e.scope.names.append(name(made.value, type, value.lo, value.hi))
        return made

    def var(self, depth, type=None):
        e, r = self.expressions, self.random
        type = type or self.type()
        value = e.firmly(type, r.randint(0, 2))
        lo, hi = None, None
        if type in INTEGERS:
            lo, hi = r.choice(CLASSES[type])
            value = e.fit(value, lo, hi)
            if value.flexible and type != "Int":
                value = e.fit(e.firm(type), lo, hi)
        made = Node("var", type, self.fresh("m"), [value])
        e.scope.variables.append(name(made.value, type, lo, hi))
        return made

    def value_for(self, type, lo, hi, depth):
        e = self.expressions
        value = e.expression(type, depth)
        return e.fit(value, lo, hi) if type in INTEGERS else value

    def assign(self, depth):
        variables = self.expressions.scope.variables
        if not variables:
            return self.var(depth)
        v = self.random.choice(variables)
        return Node("assign", v.type, v.value, [self.value_for(v.type, v.lo, v.hi, self.random.randint(1, 4))])

    def store(self, depth):
        owned = [o for o in self.expressions.scope.owned if o.writable]
        if not owned:
            return self.let(depth)
        return self.store_to(self.random.choice(owned))

    def store_to(self, o):
        a = o.array
        value = self.value_for(a.type, a.lo, a.hi, self.random.randint(1, 4))
        return Node("store", a.type, a.name, [o.index.copy(), value])

    def atomic(self, depth):
        e, r = self.expressions, self.random
        a, op, pair = r.choice(e.scope.atomics)
        index = e.index_into(a, 2)
        if pair:
            return Node("atomic", a.type, (a.name, op), [index] + [p.copy() for p in pair])
        if a.type == "F32" and r.random() < 0.7:
            value = Node("method", "F32", "to_f32", [e.fit(e.firm("Int"), 0, r.choice([1, 15, 1000]))])
        else:
            value = self.value_for(a.type, a.lo if a.type != "F32" else None, a.hi, 2)
        return Node("atomic", a.type, (a.name, op), [index, value])

    def when(self, depth):
        r = self.random
        condition = self.expressions.truth(r.randint(0, 3))
        branches = [self.nested(depth)]
        if r.random() < 0.5:
            branches.append(self.nested(depth))
        return Node("when", None, r.random() < 0.5, [condition] + branches)

    def bounds(self, most):
        """Of a loop of at most `most` rounds."""
        e, r = self.expressions, self.random
        if r.random() < 0.4:
            a = integer(r.choice([0, 0, 1, -1, 3]))
            return a, integer(a.value + r.randint(0, most))
        if r.random() < 0.15:
            edge = r.choice([2**63 - 1 - most, -(2**63), 2**31 - 1 - most, -(2**31)])
            return integer(edge), integer(edge + r.randint(1, most))
        b = self.clamped(e.expression("Int", 2), 0, most)
        return integer(0), b

    def clamped(self, node, lo, hi):
        """Whatever its interval says: it may be wrong after a planned trap."""
        if node.flexible:
            return integer(self.random.randint(lo, hi))
        if node.lo >= lo and node.hi <= hi and not self.expressions.wild:
            return node
        return Node("method", "Int", "min", [Node("method", "Int", "max", [node, integer(lo)], lo, max(lo, node.hi)), integer(hi)], lo, hi)

    def loop(self, most, make):
        a, b = self.bounds(most)
        variable = self.fresh("i")

        def body():
            hi = max(b.hi - 1, a.lo)
            self.expressions.scope.names.append(name(variable, "Int", a.lo, hi))
            return make()

        before, self.budget = self.budget, self.budget // max(most, 1)
        made = Node("for", None, variable, [a, b, self.inside(body)])
        self.budget = before
        return made

    def for_(self, depth):
        most = self.random.randint(1, max(1, min(self.budget, 9)))
        return self.loop(most, lambda: block(self.statements(self.random.randint(1, 3), depth - 1)))

    def accumulate(self, depth):
        """A sum over a loop, into a var."""
        e, r = self.expressions, self.random
        if not e.scope.variables:
            return self.var(depth)
        v = r.choice(e.scope.variables)
        most = r.randint(1, max(1, min(self.budget, 12)))

        def body():
            if v.type == "Bool":
                value = Node("binary", "Bool", "!=", [v.copy(), e.truth(2)])
            elif v.type in FLOATS:
                value = Node("binary", v.type, r.choice("+*-"), [v.copy(), e.expression(v.type, 2)])
            else:
                value = e.operation(r.choice(["+", "*", "bxor", "max"]), v.type, 2)
                value.kids[0] = e.fit(v.copy(), value.kids[0].lo, value.kids[0].hi) if not value.kids[0].flexible or v.lo == v.hi else value.kids[0]
                value = e.fit(value, v.lo, v.hi)
            return block([Node("assign", v.type, v.value, [value])])

        return self.loop(most, body)


setattr(Body, "for", Body.for_)
