"""Random expressions of a kernel or a helper: integers within their intervals, floats of any value, truth values."""
import ranges
from trees import FLOATS, INTEGERS, NUMBERS, Node, integer, name

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
EDGES = {"Int": [2**63 - 1, -(2**63), 2**31, 2**32, 2**53, 2**53 + 1, 2**24, -(2**31) - 1],
         "I32": [2**31 - 1, -(2**31), 2**24, 2**24 - 1, 65536],
         "U32": [2**32 - 1, 2**31, 2**31 - 1, 2**24, 65536]}
FLOAT_EDGES = {"F32": [0.0, -0.0, 1.0, 0.5, -0.5, 1.5, 2.5, 0.1, -3.7, 16777216.0, 16777215.0, 8388607.5, 8388608.0, 1.0e-38 * 1.2,
                       3.4028234663852886e38, 1.0e30, -1.0e-30, 0.49999997, 2147483648.0, 3.0, 7.0, 1.0e10],
               "F64": [0.0, -0.0, 1.0, 0.5, -0.5, 1.5, 2.5, 0.1, -3.7, 4503599627370495.5, 9007199254740992.0, 2.3e-308,
                       1.7976931348623157e308, 1.0e200, -1.0e-200, 0.49999999999999994, 9223372036854775808.0, 3.0, 1.0e10]}
METHOD_OF = {"Int": "to_int", "I32": "to_i32", "U32": "to_u32", "F32": "to_f32", "F64": "to_f64"}


class Array:
    """A slice or a shared array as an expression may read it."""

    def __init__(self, name, type, lo, hi, length):
        self.name, self.type, self.lo, self.hi, self.length = name, type, lo, hi, length


class Own:
    """An element that belongs to the thread: the only one of its array that may be touched here."""

    def __init__(self, array, index, readable=True, writable=True):
        self.array, self.index, self.readable, self.writable = array, index, readable, writable


class Scope:
    """What may be named at a place. Uniform names are the same for all threads of a group."""

    def __init__(self, parent=None):
        self.names = list(parent.names) if parent else []
        self.variables = list(parent.variables) if parent else []
        self.arrays = list(parent.arrays) if parent else []
        self.owned = list(parent.owned) if parent else []
        self.atomics = list(parent.atomics) if parent else []
        self.uniform = list(parent.uniform) if parent else []
        self.lengths = list(parent.lengths) if parent else []  # of all arrays, readable or not

    def of_type(self, type):
        return [n for n in self.names + self.variables if n.type == type]


class Expressions:
    """random: the program's; helpers: what may be called; host: only what host code understands too."""

    def __init__(self, random, helpers=(), default_float="F32", host=False, wild=0.0):
        self.random, self.helpers, self.default_float, self.host, self.wild = random, helpers, default_float, host, wild
        self.types = NUMBERS
        self.scope = Scope()
        self.only_uniform = False

    # ---- Leaves ----

    def edge(self, type, lo=None, hi=None):
        r = self.random
        least, most = INTEGERS[type]
        lo, hi = least if lo is None else lo, most if hi is None else hi
        near = [v for v in (lo, lo + 1, hi, hi - 1, 0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, -1, -2, -7) if lo <= v <= hi]
        edges = [v for v in EDGES[type] if lo <= v <= hi]
        return r.choice(edges) if edges and r.random() < 0.15 else r.choice(near) if near else r.randint(lo, hi)

    def literal(self, type, lo=None, hi=None):
        r = self.random
        if type in INTEGERS:
            small = r.random() < 0.6
            least, most = INTEGERS[type]
            lo, hi = least if lo is None else lo, most if hi is None else hi
            value = r.randint(max(lo, -10), min(hi, 20)) if small and max(lo, -10) <= min(hi, 20) else self.edge(type, lo, hi)
            return integer(value, type)
        if type == "Bool":
            return Node("bool", "Bool", r.random() < 0.5)
        if r.random() < 0.15 and not self.host:
            return integer(r.choice([0, 1, 2, 3, -1, 7, 100, 16777216]), type)
        return Node("float", type, r.choice(FLOAT_EDGES[type]), flexible=True)

    def length_leaves(self):
        return [Node("len", "Int", a.name, lo=a.length, hi=a.length) for a in self.scope.lengths]

    def named(self, type):
        if self.only_uniform:
            found = [n for n in self.scope.uniform if n.type == type]
        else:
            found = self.scope.of_type(type)
        if type == "Int" and self.scope.lengths and self.random.random() < 0.2:
            found = found + self.length_leaves()
        return self.random.choice(found).copy() if found else None

    def firm(self, type):
        """A leaf whose type does not depend on what is expected."""
        r = self.random
        node = self.named(type)
        if node and r.random() < 0.9:
            return node
        if self.loadable(type) and r.random() < 0.7:
            return self.load(type, 0)
        if node:
            return node
        source = None
        for other in r.sample(self.types, len(self.types)):
            if other != type and not (type in INTEGERS and other in FLOATS):
                source = source or self.named(other)
        source = source or integer(r.randint(0, 100))
        if type in INTEGERS:
            source = self.fit(source, *INTEGERS[type])
        return self.convert(source, type)

    def convert(self, source, type):
        if source.type == type and not source.flexible:
            return source
        if source.flexible and source.type not in ("Int", self.default_float):
            source = Node("float", self.default_float, 2.5, flexible=True)
        low, high = (source.lo, source.hi) if type in INTEGERS else (None, None)
        return Node("method", type, METHOD_OF[type], [source], low, high)

    def leaf(self, type):
        r = self.random
        if type == "Bool":
            return self.named("Bool") or self.literal("Bool")
        if r.random() < 0.35:
            return self.literal(type)
        return self.firm(type)

    def loadable(self, type):
        if self.only_uniform:
            return False
        return any(a.type == type for a in self.scope.arrays) or any(
            o.readable and o.array.type == type for o in self.scope.owned)

    def load(self, type, depth):
        r = self.random
        owned = [o for o in self.scope.owned if o.readable and o.array.type == type]
        arrays = [a for a in self.scope.arrays if a.type == type]
        if owned and (not arrays or r.random() < 0.35):
            o = r.choice(owned)
            return Node("index", type, o.array.name, [o.index.copy()], o.array.lo, o.array.hi)
        a = r.choice(arrays)
        return Node("index", type, a.name, [self.index_into(a, depth)], a.lo, a.hi)

    def index_into(self, array, depth):
        index = self.expression("Int", max(depth - 1, 0)) if depth else (self.named("Int") or self.literal("Int"))
        return self.fit(index, 0, array.length - 1, array)

    # ---- Integers ----

    def fit(self, e, lo, hi, array=None):
        """An expression like e whose values are in lo..hi."""
        r = self.random
        if e.lo >= lo and e.hi <= hi or self.wild and r.random() < self.wild:
            return e
        if e.flexible:
            return self.literal(e.type, lo, hi) if e.type != "Int" or r.random() < 0.8 or e.kind != "int" else integer(
                r.randint(lo, hi))
        way = r.randrange(4)
        type = e.type
        if way == 0 and lo <= 0 and hi >= 1 and not self.only_uniform:
            top = min(hi, INTEGERS[type][1])
            bits = top.bit_length() if top & (top + 1) == 0 else top.bit_length() - 1
            mask = (1 << bits) - 1
            if bits and mask <= hi:
                return Node("method", type, "band", [e, integer(mask, type)], 0, mask)
        if way <= 2 and lo <= 0 <= hi and hi > 0:
            m = hi + 1
            by = Node("len", "Int", array.name, lo=m, hi=m) if array and array.length == m and r.random() < 0.5 else integer(m, type)
            if e.lo >= 0 and m <= INTEGERS[type][1]:
                return Node("binary", type, "%", [e, by], 0, min(hi, e.hi))
            m = min(hi, -lo) + 1
            if m > 1 and m <= INTEGERS[type][1]:
                return Node("binary", type, "%", [e, integer(m, type)], -(m - 1), m - 1)
            m = hi // 2 + 1
            if hi >= 2 and m <= INTEGERS[type][1]:
                inner = Node("binary", type, "%", [e, integer(m, type)], -(m - 1), m - 1)
                return Node("binary", type, "+", [inner, integer(m - 1, type)], 0, 2 * m - 2)
        low, high = e.lo, e.hi
        if low < lo:
            e = Node("method", type, "max", [e, integer(lo, type)], lo, max(high, lo))
        if high > hi:
            e = Node("method", type, "min", [e, integer(hi, type)], e.lo if e.lo <= hi else hi, hi)
        return e

    def nonzero(self, e):
        if e.lo > 0 or e.hi < 0:
            return e
        if e.flexible:
            return integer(self.random.choice([1, 2, 3, 7, 64]), e.type)
        if e.lo >= 0 or self.random.random() < 0.5:
            return Node("method", e.type, "max", [e, integer(1, e.type)], 1, max(e.hi, 1))
        e = self.fit(e, max(e.lo, INTEGERS[e.type][0] + 1) if e.type != "U32" else 0, e.hi)
        low, high = ranges.of_bits("bor", (e.lo, e.hi), (1, 1))
        return Node("method", e.type, "bor", [e, integer(1, e.type)], low, high) if low > 0 or high < 0 else Node(
            "method", e.type, "max", [e, integer(1, e.type)], 1, max(e.hi, 1))

    def not_least(self, e):
        least, most = INTEGERS[e.type]
        return e if e.lo > least else self.fit(e, least + 1, most)

    def integer(self, type, depth):
        r = self.random
        op = r.choice(["+", "+", "-", "*", "/", "%", "shl", "shr", "band", "bor", "bxor", "min", "max", "neg", "abs",
                       "convert", "if", "load", "load", "call", "leaf"])
        if op == "neg" or op == "abs":
            return self.sign(op, type, depth)
        if op == "convert":
            return self.conversion(type, depth)
        if op == "if":
            return self.choice(type, depth)
        if op == "load" and self.loadable(type):
            return self.load(type, depth)
        if op == "call":
            return self.call(type, depth) or self.leaf(type)
        if op in ("load", "leaf"):
            return self.leaf(type)
        return self.operation(op, type, depth)

    def operation(self, op, type, depth):
        r = self.random
        method = op.isalpha()
        a = self.expression(type, depth - 1)
        if op in ("shl", "shr"):
            return self.shift(op, type, a, depth)
        b = self.expression(type, depth - 1)
        if (a.flexible and (b.flexible or method)):
            a = self.firm(type)
        if op in ("/", "%"):
            b = self.nonzero(b)
            if b.lo <= -1 <= b.hi:
                a = self.not_least(a)
        interval = ranges.of_binary(op, (a.lo, a.hi), (b.lo, b.hi), type)
        if interval is None or not ranges.fits(interval, type):
            if self.wild and r.random() < self.wild:
                interval = INTEGERS[type]
            else:
                a, b, interval = self.narrowed(op, type, a, b)
        return Node("method" if method else "binary", type, op, [a, b], *interval)

    def narrowed(self, op, type, a, b):
        """Operands cut so that the result fits; sometimes just so."""
        r = self.random
        least, most = INTEGERS[type]
        if op in "+-" and r.random() < 0.3 and a.hi < most and a.lo > least and not a.flexible:
            b = integer(min(most - a.hi if op == "+" else a.lo - least, most), type)  # the sum reaches the limit
        elif op == "*":
            limit = r.choice([3, 100, 1 << (most.bit_length() // 2)])
            a, b = self.fit(a, max(least, -limit), limit), self.fit(b, max(least, -limit + 1), limit - 1)
        elif op == "-" and type == "U32":
            k = r.choice([1, 10, 1000])
            b = self.fit(b, 0, k)
            a = self.fit(a, k, most)
        else:
            limit = r.choice([50, most // 2])
            a, b = self.fit(a, max(least, -limit), limit), self.fit(b, max(least, -limit), limit)
        if a.flexible and b.flexible:
            a = self.fit(self.firm(type), a.lo, a.hi)
        interval = ranges.of_binary(op, (a.lo, a.hi), (b.lo, b.hi), type)
        if interval is None or not ranges.fits(interval, type):
            if self.wild:
                return a, b, INTEGERS[type]
            a = self.firm(type)
            a, b = self.fit(a, 0, 20), integer(0 if op == "-" and type == "U32" else 1, type)
            interval = ranges.of_binary(op, (a.lo, a.hi), (b.lo, b.hi), type)
        return a, b, interval

    def negative_shift(self, type):
        """Of a value that may be negative, to the right as a pattern of 64 bits."""
        r = self.random
        a = self.firm(type)
        if a.lo >= 0:
            a = Node("binary", type, "-", [self.fit(a, 0, 1000), integer(r.choice([1, 7, 1000]), type)])
            a.lo, a.hi = ranges.of_binary("-", (a.kids[0].lo, a.kids[0].hi), (a.kids[1].value,) * 2, type)
        count = r.choice([1, 3, 8, 31, 32, 33, 62, 63] if type == "Int" else [33, 34, 40, 63])
        return Node("method", type, "shr", [a, integer(count, type)], *ranges.of_right((a.lo, a.hi), (count, count)))

    def shift(self, op, type, a, depth):
        r = self.random
        if op == "shr" and type != "U32" and r.random() < 0.5:
            return self.negative_shift(type)
        if a.flexible and (type != "Int" or r.random() < 0.7):
            a = self.firm(type)
        if r.random() < 0.6:
            count = integer(r.choice([0, 1, 2, 3, 5, 8, 16, 30, 31, 32, 33, 62, 63, 64, 65] + ([-1] if type != "U32" else [])), type)
        else:
            count = self.expression(r.choice(["Int", type]), depth - 1)
            if count.flexible and count.type != type:
                count = integer(3, type)
            if r.random() < 0.7:
                count = self.fit(count, 0, r.choice([4, 31, 63, 70]))
        interval = ranges.of_binary(op, (a.lo, a.hi), (count.lo, count.hi), type)
        if not ranges.fits(interval, type) and not (self.wild and r.random() < self.wild):
            if op == "shl":
                count = integer(r.choice([0, 1, 2, 4, 64]), type)
                a = self.fit(a, -1000 if type != "U32" else 0, 1000)
            else:
                a = self.fit(a, 0, INTEGERS[type][1])
            interval = ranges.of_binary(op, (a.lo, a.hi), (count.lo, count.hi), type)
        return Node("method", type, op, [a, count], *(interval if ranges.fits(interval, type) else INTEGERS[type]))

    def sign(self, op, type, depth):
        r = self.random
        if type == "U32":
            return self.leaf(type)
        a = self.not_least(self.expression(type, depth - 1))
        if a.flexible:
            a = self.not_least(self.firm(type))
        wild_interval = (max(a.lo, INTEGERS[type][0] + 1), a.hi)
        if op == "abs":
            return Node("method", type, "abs", [a], *ranges.of_magnitude(wild_interval))
        return Node("neg", type, None, [a], *ranges.of_negation(wild_interval))

    def conversion(self, type, depth):
        r = self.random
        others = [t for t in self.types if t in INTEGERS and (self.host or t != type or r.random() < 0.2)]
        source = self.expression(r.choice(others), depth - 1)
        if self.host:
            return source
        if source.flexible and source.type != "Int":
            source = self.firm(source.type)
        if source.flexible and source.type == type:
            return self.leaf(type)
        source = self.fit(source, *INTEGERS[type])
        return Node("method", type, METHOD_OF[type], [source], source.lo, source.hi)

    # ---- Floats ----

    def real(self, type, depth):
        r = self.random
        op = r.choice(["+", "-", "*", "/", "+", "*", "neg", "abs", "sqrt", "floor", "ceil", "round", "min", "max", "convert",
                       "if", "load", "load", "call", "leaf", "product and sum", "edges"])
        if op == "edges":
            return self.choice_of_edges(type)
        if op == "product and sum":
            product = Node("binary", type, "*", [self.firm(type), self.expression(type, depth - 1)])
            return Node("binary", type, r.choice("+-"), [product, self.expression(type, depth - 1)])
        if op == "load" and self.loadable(type):
            return self.load(type, depth)
        if op == "if":
            return self.choice(type, depth)
        if op == "call":
            return self.call(type, depth) or self.leaf(type)
        if op == "convert":
            sources = [t for t in self.types if t != type or not self.host and r.random() < 0.1]
            source = self.expression(r.choice(sources), depth - 1)
            if source.flexible and source.type != "Int":
                source = self.firm(source.type)
            return Node("method", type, METHOD_OF[type], [source])
        if op in ("load", "leaf") or self.host and op in ("floor", "ceil", "round"):
            return self.leaf(type)
        a = self.expression(type, depth - 1)
        if op in ("neg", "abs", "sqrt", "floor", "ceil", "round"):
            a = self.firm(type) if a.flexible else a
            return Node("neg", type, None, [a]) if op == "neg" else Node("method", type, op, [a])
        b = self.expression(type, depth - 1)
        if a.flexible and (b.flexible or op in ("min", "max")):
            a = self.firm(type)
        return Node("method" if op in ("min", "max") else "binary", type, op, [a, b])

    def choice_of_edges(self, type):
        """Of two values one of which may be NaN, or a zero of either sign: the order of what is compared matters."""
        r = self.random
        x = self.firm(type)
        edge = Node("binary", type, r.choice("*-/"), [x, x.copy()])
        if edge.value == "*":
            edge.kids[1] = Node("float", type, r.choice([0.0, -0.0]), flexible=True)
        other = self.firm(type) if r.random() < 0.5 else Node("float", type, r.choice([0.0, -0.0, 1.0]), flexible=True)
        if not other.flexible and r.random() < 0.5:
            edge, other = other, edge
        return Node("method", type, r.choice(["min", "min", "max"]), [edge, other])

    # ---- Truth values ----

    def truth(self, depth):
        r = self.random
        op = r.choice(["and", "or", "not", "compare", "compare", "compare", "compare", "same", "if", "call", "leaf", "guard"])
        if depth <= 0 or op == "leaf":
            return self.comparison(0) if r.random() < 0.7 else self.leaf("Bool")
        if op == "guard" and self.scope.arrays and not self.only_uniform:
            return self.guarded(depth)
        if op == "call":
            return self.call("Bool", depth) or self.comparison(depth)
        if op in ("and", "or"):
            return Node("binary", "Bool", op, [self.truth(depth - 1), self.truth(depth - 1)])
        if op == "not":
            return Node("not", "Bool", None, [self.truth(depth - 1)])
        if op == "same":
            return Node("binary", "Bool", r.choice(["==", "!="]), [self.truth(depth - 1), self.truth(depth - 1)])
        if op == "if":
            return self.choice("Bool", depth)
        return self.comparison(depth)

    def comparison(self, depth):
        r = self.random
        type = "Int" if self.only_uniform else r.choice(self.types)
        a, b = self.expression(type, depth - 1), self.expression(type, depth - 1)
        if a.flexible and b.flexible:
            a = self.firm(type)
        if r.random() < 0.3 and not a.flexible and type in INTEGERS:
            b = self.literal(type, a.lo, a.hi)
        return Node("binary", "Bool", r.choice(COMPARISONS), [a, b])

    def guarded(self, depth):
        """`i >= 0 and i < x.len and x[i] > v`: the right sides must not run alone."""
        r = self.random
        a = r.choice(self.scope.arrays)
        index = self.named("Int")
        if index is None or index.kind == "len":
            return self.comparison(depth)
        element = Node("index", a.type, a.name, [index.copy()], a.lo, a.hi)
        test = Node("binary", "Bool", r.choice(COMPARISONS), [element, self.literal(a.type, a.lo, a.hi)])
        inside = Node("binary", "Bool", "<", [index.copy(), Node("len", "Int", a.name, lo=a.length, hi=a.length)])
        if index.lo < 0:
            inside = Node("binary", "Bool", "and", [Node("binary", "Bool", ">=", [index.copy(), integer(0)]), inside])
        if r.random() < 0.3:
            return Node("binary", "Bool", "or", [Node("not", "Bool", None, [inside]), test])
        return Node("binary", "Bool", "and", [inside, test])

    # ---- Any type ----

    def choice(self, type, depth):
        condition = self.truth(depth - 1)
        a, b = self.expression(type, depth - 1), self.expression(type, depth - 1)
        interval = (min(a.lo, b.lo), max(a.hi, b.hi)) if type in INTEGERS else (None, None)
        return Node("if", type, None, [condition, a, b], *interval, flexible=a.flexible and b.flexible)

    def call(self, type, depth):
        if self.only_uniform:
            return None
        found = [h for h in self.helpers if h.result == type]
        if not found:
            return None
        h = self.random.choice(found)
        arguments = [self.argument(p, depth) for p in h.parameters]
        return Node("call", type, h.name, arguments, h.lo, h.hi)

    def argument(self, parameter, depth):
        e = self.expression(parameter.type, depth - 1)
        return self.fit(e, parameter.lo, parameter.hi) if parameter.type in INTEGERS else e

    def expression(self, type, depth):
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(type)
        if type == "Bool":
            return self.truth(depth)
        return self.integer(type, depth) if type in INTEGERS else self.real(type, depth)

    def firmly(self, type, depth):
        """For a local, whose type nothing else decides."""
        e = self.expression(type, depth)
        if not e.flexible:
            return e
        if type == "Int":
            return e if e.kind == "int" else self.firm(type)
        if type == self.default_float and self.random.random() < 0.7:
            return Node("float", type, self.random.choice(FLOAT_EDGES[type]), flexible=True)
        return self.firm(type)

    def uniform(self, type, depth):
        before, self.only_uniform = self.only_uniform, True
        e = self.truth(depth) if type == "Bool" else self.expression(type, depth)
        self.only_uniform = before
        return e


def parameter(text, type, lo=None, hi=None):
    return name(text, type, lo, hi)
