"""Random expressions of Cone, of any type, over what a scope has."""
import re

from cone_trees import AND, AS, COMPARE, LIST, LOOSE, NOT, SUFFIX, UNARY, binary, expression, lines, statement, text_of
from cone_types import (DATA, FLOATS, INTEGERS, NUMBERS, SCALARS, WIDTH, Array, Slice, Struct, random_integer, random_literal)

VARIABLE = re.compile(r"\b(?:me|at|x|y|w|[abcmnopqvw]\d+(?:_\d+)?|[abcfikmnoqpsuvwx][a-z]+\d+(?:_\d+)?|in\d+)\b")
SIGN = {"u32": "i32", "i32": "u32", "u8": "i8", "i8": "u8", "u16": "i16", "i16": "u16", "u64": "i64", "i64": "u64"}


class Scope:
    """The names at a place: what may be read and what may be written of each type. What is made inside goes at the end."""

    def __init__(self):
        self.reads, self.writes, self.slices, self.wholes = {}, {}, [], []
        self.loops, self.returns = [], None

    def mark(self):
        return ({k: len(v) for k, v in self.reads.items()}, {k: len(v) for k, v in self.writes.items()}, len(self.slices), len(self.wholes))

    def release(self, mark):
        for table, lengths in ((self.reads, mark[0]), (self.writes, mark[1])):
            for k, v in table.items():
                del v[lengths.get(k, 0):]
        del self.slices[mark[2]:]
        del self.wholes[mark[3]:]


class Expressions:
    """program: has functions, structs and the dice. exact: no quotient, remainder, root or function that a driver may round."""

    def __init__(self, program, exact, work=1):
        self.program, self.random, self.exact = program, program.random, exact
        self.scope, self.counter, self.fails, self.calls = Scope(), 0, False, 6
        self.budget = 40
        self.nested = 0

    def fresh(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    # ---- Names ----

    def declare(self, name, type, mutable=False, path=None):
        """All numbers in a value of the type may be read; written, if it is mutable."""
        path = path or [name]
        s = self.scope
        if len(path) == 1 and not isinstance(type, Slice):
            s.wholes.append((name, type, mutable))
        if isinstance(type, Slice):
            s.slices.append((path, type))
        elif isinstance(type, Struct):
            for field, of in type.fields:
                self.declare(name, of, mutable, path + ["." + field])
        elif isinstance(type, Array):
            self.declare(name, type.of, mutable, path + [type.count])
        else:
            s.reads.setdefault(type, []).append(path)
            if mutable:
                s.writes.setdefault(type, []).append(path)

    def place(self, path, type, depth):
        """The steps of a path, the indexes being numbers of elements."""
        kids = []
        for step in path:
            kids += [step] if isinstance(step, str) else ["[", self.index(step, depth), "]"]
        return expression(type, SUFFIX, *kids)

    def index(self, count, depth=1):
        """Of one of so many elements."""
        r = self.random
        if r.random() < 0.35 or depth <= 0:
            return expression("usize", SUFFIX, f"{r.randrange(count)}" + r.choice(["", "usize"]))
        of = self.leaf("u32") if r.random() < 0.6 else self.number("u32", depth - 1)
        return expression("usize", LOOSE, "usize.from(", (of, 0), f") % {count}usize")

    # ---- Leaves ----

    def literal(self, type):
        text = random_literal(self.random, type)
        return expression(type, UNARY if text[0] == "-" else SUFFIX, text)

    def leaf(self, type):
        """Its indexes have leaves too: not for ever."""
        if self.nested > 3:
            return self.literal(type)
        self.nested += 1
        made = self.some_leaf(type)
        self.nested -= 1
        return made

    def some_leaf(self, type):
        r = self.random
        found = self.scope.reads.get(type)
        if found and r.random() < 0.75:
            return self.place(r.choice(found), type, 1)
        elements = [s for s in self.scope.slices if s[1].least and s[1].of == type]
        if elements and r.random() < 0.6:
            return self.element(*r.choice(elements))
        if type == "u32" and r.random() < 0.3 and self.scope.slices:
            path = r.choice(self.scope.slices)[0]
            return expression(type, SUFFIX, "u32.from(", self.place(path, None, 0), ".len)")
        return self.literal(type)

    def element(self, path, slice):
        """Of a slice that is not empty, or one that is asked whether it is."""
        name = self.place(path, None, 0)
        of = self.leaf("u32") if self.random.random() < 0.7 else self.number("u32", 1)
        return expression(slice.of, SUFFIX, name, "[usize.from(", (of, 0), ") % ", name.copy(), ".len]")

    # ---- Numbers ----

    def value(self, type, depth):
        if isinstance(type, Struct):
            return self.struct(type, depth)
        if isinstance(type, Array):
            return self.array(type, depth)
        return self.truth(depth) if type == "bool" else self.usize(depth) if type == "usize" else self.number(type, depth)

    def usize(self, depth):
        """Never so large that 32 and 64 bits differ."""
        return self.index(self.random.choice([1, 3, 8, 100, 1000]), depth)

    def number(self, type, depth):
        r = self.random
        if depth <= 0:
            return self.leaf(type)
        ways = [self.arithmetic] * 5 + [self.conversion] * 2 + [self.choice, self.member, self.call, self.call, self.leaf_at]
        ways += [self.bits, self.bits, self.shift, self.shift, self.method, self.negated, self.divided] if type in INTEGERS else [self.rounding, self.negated, self.remainder]
        ways += [self.rounding] * 6 if type in FLOATS and not self.exact else []
        return r.choice(ways)(type, depth)

    def leaf_at(self, type, depth):
        return self.leaf(type)

    def arithmetic(self, type, depth):
        r = self.random
        left = self.number(type, depth - 1)
        if r.random() < 0.1 and left.level == SUFFIX and type in ("u32", "i32", "f32"):
            right = expression(type, SUFFIX, str(r.randint(0, 20)))  # takes the other side's type
        else:
            right = self.number(type, depth - 1)
        return binary(type, left, r.choice("+-*"), right)

    def divided(self, type, depth):
        return binary(type, self.number(type, depth - 1), self.random.choice("/%"), self.number(type, depth - 1))

    def remainder(self, type, depth):
        if self.exact:  # OpFRem is the driver's
            return self.arithmetic(type, depth)
        if self.random.random() < 0.5:
            return binary(type, self.number(type, depth - 1), "/", self.number(type, depth - 1))
        return binary(type, self.number(type, depth - 1), "%", self.number(type, depth - 1))

    def bits(self, type, depth):
        return binary(type, self.number(type, depth - 1), self.random.choice("&|^"), self.number(type, depth - 1))

    def shift(self, type, depth):
        r = self.random
        count = expression(type, SUFFIX, f"{r.randint(0, 40)}{type}") if r.random() < 0.5 else self.number(type, depth - 1)
        return binary(type, self.number(type, depth - 1), r.choice(["<<", ">>"]), count)

    def negated(self, type, depth):
        op = self.random.choice("-~") if type in INTEGERS else "-"
        return expression(type, UNARY, op, (self.number(type, depth - 1), SUFFIX))

    def method(self, type, depth):
        r = self.random
        if type in ("u32", "i32") and r.random() < 0.1:
            return expression(type, SUFFIX, f"Atomic[{type}].of(", (self.number(type, depth - 1), 0), ").inner()")
        if type == "u32" and r.random() < 0.5:
            of = self.number(r.choice(list(INTEGERS)), depth - 1)
            return expression(type, SUFFIX, (of, SUFFIX), r.choice([".countOnes()", ".leadingZeros()", ".trailingZeros()"]))
        name = r.choice(["rotateLeft", "rotateRight", "shlMasked", "shrMasked"])
        return expression(type, SUFFIX, (self.number(type, depth - 1), SUFFIX), f".{name}(", (self.number("u32", depth - 1), 0), ")")

    def rounding(self, type, depth):
        r, f = self.random, "f" if type == "f32" else ""
        of = (self.number(type, depth - 1), 0)
        if not self.exact and r.random() < 0.6:
            if r.random() < 0.4:
                return expression(type, SUFFIX, (of[0], SUFFIX), r.choice([".sqrt()", ".sqrt()", ".sin()", ".cos()"]) if type == "f32" else ".sqrt()")
            if type == "f32":
                name = r.choice(["sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "atan2", "pow", "fmod"])
                two = name in ("atan2", "pow", "fmod")
                return expression(type, SUFFIX, f"libc.{name}f(", of, *([", ", (self.number(type, depth - 1), 0)] if two else []), ")")
        return expression(type, SUFFIX, f"libc.{r.choice(['floor', 'ceil', 'fabs'])}{f}(", of, ")")

    def conversion(self, type, depth):
        r = self.random
        if r.random() < 0.2:
            other = {"f32": r.choice(["u32", "i32"]), "u32": r.choice(["i32", "f32"]), "i32": "u32"}.get(type, SIGN.get(type))
            if other and type == "u32" and other == "f32":
                return self.pattern(depth)
            if other:
                return expression(type, AS, (self.number(other, depth - 1), AS), f" as {type}")
        source = r.choice([t for t in SCALARS if t != type] + ["usize", "u32", "i32", "f32"])
        if type in ("u32", "i32") and r.random() < 0.25:
            source = r.choice(["u64", "i64"])
        value = self.value(source, depth - 1)
        if type in INTEGERS and source in FLOATS and not VARIABLE.search(text_of(value)):
            value = self.literal("i8")  # a constant that does not fit is refused
        return expression(type, SUFFIX, f"{type}.from(", (value, 0), ")")

    def pattern(self, depth):
        """The bits of an f32; which those of a NaN are differs."""
        name = self.fresh("n")
        return expression("u32", AS, f"apply_f32(fn({name} f32) f32 {{ if {name} == {name} {{ {name}; }} else {{ 7.0; }} }}, ",
                          (self.number("f32", depth - 1), 0), ") as u32")

    def choice(self, type, depth):
        """An `if` or a `match` with values."""
        r = self.random
        if r.random() < 0.7 or isinstance(type, (Struct, Array)):
            kids = ["if ", (self.condition(depth - 1), 0), " { ", (self.value(type, depth - 1), 0), "; }"]
            if r.random() < 0.3:
                kids += [" elif ", (self.condition(depth - 1), 0), " { ", (self.value(type, depth - 1), 0), "; }"]
            return expression(type, LOOSE, *kids, " else { ", (self.value(type, depth - 1), 0), "; }")
        of = r.choice(list(INTEGERS))
        kids = ["match ", (self.number(of, depth - 1), COMPARE + 1), " { "]
        for literal in {random_integer(r, of) for _ in range(r.randint(1, 3))}:
            kids += [f"case {r.choice(['', '==']) if literal >= 0 else ''}{literal}{of} {{ ", (self.value(type, depth - 1), 0), "; } "]
        return expression(type, LOOSE, *kids, "else { ", (self.value(type, depth - 1), 0), "; } }")

    def member(self, type, depth):
        """Of a struct that is made for it, or by a method."""
        r = self.random
        found = [(s, f) for s in self.program.structs for f, t in s.fields if t == type]
        if not found:
            return self.leaf(type)
        s, field = r.choice(found)
        return expression(type, SUFFIX, (self.struct(s, depth - 1), SUFFIX), "." + field)

    # ---- Truth ----

    def condition(self, depth):
        """What may stand after `if`: numbers too."""
        type = self.random.choice(["bool"] * 7 + ["u32", "i8", "f32", "u64"])
        value = self.value(type, depth)
        return value if type == "bool" or not re.search(r"\b(if|match) ", text_of(value)) else self.leaf(type)

    def truth(self, depth):
        r = self.random
        if depth <= 0:
            return self.leaf("bool") if r.random() < 0.6 else self.comparison(0)
        roll = r.random()
        if roll < 0.5:
            return self.comparison(depth - 1)
        if roll < 0.75:
            return binary("bool", self.truth(depth - 1), r.choice(["and", "or"]), self.truth(depth - 1))
        if roll < 0.87:
            return expression("bool", NOT, r.choice(["!", "not "]), (self.truth(depth - 1), NOT))
        if roll < 0.88:
            return expression("bool", SUFFIX, "isDebugBuild()")
        if roll < 0.93:
            return expression("bool", SUFFIX, "bool.from(", (self.number(r.choice(NUMBERS), depth - 1), 0), ")")
        return self.call("bool", depth) if roll < 0.97 else self.choice("bool", depth)

    def comparison(self, depth):
        r = self.random
        equal = [s for s in self.program.structs if "==" in s.operators]
        if equal and r.random() < 0.1:
            s = r.choice(equal)
            return binary("bool", self.struct(s, depth), "==", self.struct(s, depth))
        type = r.choice(NUMBERS + ("u32", "i32", "f32", "usize"))
        return binary("bool", self.value(type, depth), r.choice(["==", "!=", "<", "<=", ">", ">="]), self.value(type, depth))

    # ---- Structs and arrays ----

    def whole(self, type):
        found = [name for name, t, _ in self.scope.wholes if t == type]
        return expression(type, SUFFIX, self.random.choice(found)) if found else None

    def struct(self, type, depth):
        r = self.random
        name = self.whole(type)
        if name and r.random() < (0.4 if depth > 0 else 0.8):
            return name
        if depth > 0:
            operators = [op for op in type.operators if op in "+-*&"]
            if operators and r.random() < 0.35:
                return binary(type, self.struct(type, depth - 1), r.choice(operators), self.struct(type, depth - 1))
            if "negate" in type.operators and r.random() < 0.1:
                return expression(type, UNARY, "-", (self.struct(type, depth - 1), SUFFIX))
            if r.random() < 0.1:
                return self.choice(type, depth)
            if r.random() < 0.3:
                found = self.call(type, depth)
                if found:
                    return found
        named = r.random() < 0.25
        kids = [f"new {type}("]
        for i, (field, of) in enumerate(type.fields):
            kids += [", " if i else "", f"{field}: " if named else "", (self.value(of, max(depth - 1, 0)), 0)]
        return expression(type, LOOSE, *kids, ")")

    def array(self, type, depth):
        r = self.random
        name = self.whole(type)
        if name and r.random() < 0.5:
            return name
        if r.random() < 0.4 or type.count > 9:
            return expression(type, LIST, f"new {type} <- fill ", (self.value(type.of, max(depth - 1, 0)), 0))
        if r.random() < 0.2 and type.count > 2:
            return expression(type, LIST, f"new {type} <- ", (self.value(type.of, max(depth - 1, 0)), 0), f", {type.count - 1} of ",
                              (self.value(type.of, max(depth - 1, 0)), 0))
        kids = [k for i in range(type.count) for k in (", " if i else "", (self.value(type.of, max(depth - 1, 0)), 0))]
        return expression(type, SUFFIX, "[", *kids, "]")

    # ---- Calls ----

    def call(self, type, depth):
        """Of a function, a generic, a closure; None only for structs."""
        r = self.random
        fallback = None if isinstance(type, (Struct, Array)) else self.leaf(type) if type != "bool" else self.literal(type)
        if self.calls <= 0:
            return fallback
        found = [f for f in self.program.functions if f.result == type and (self.fails or not f.fails) and (f.exact or not self.exact)]
        if not found:
            return fallback
        f = r.choice(found)
        self.calls -= f.cost
        kids = []
        for p in f.parameters:
            argument = self.argument(p, type, depth - 1)
            if argument is None:
                return fallback
            kids += [", " if kids else "", argument]
        if f.receiver:
            receiver = self.whole(f.receiver) if f.by_reference else (self.struct(f.receiver, depth - 1), SUFFIX)
            if not receiver:
                return fallback
            return expression(type, SUFFIX, receiver, f".{f.name}(", *kids, ")")
        return expression(type, SUFFIX, f.name + f.given, "(", *kids, ")")

    def argument(self, p, type, depth):
        r = self.random
        if isinstance(p, Slice):
            return self.slice_of(p, depth)
        if isinstance(p, tuple) and p[0] == "closure":
            return self.closure(p[1], p[2], depth)
        if isinstance(p, tuple) and p[0] == "array":
            return expression(None, SUFFIX, "&", (self.array(Array(p[1], r.randint(1, 5)), depth), SUFFIX))
        if isinstance(p, tuple) and p[0] == "trait":
            s = r.choice(p[1])
            return expression(None, SUFFIX, "&", (self.whole(s) or self.struct(s, 0), 0))
        if isinstance(p, tuple) and p[0] == "reference":
            return expression(None, SUFFIX, "&", (self.whole(p[1]) or self.struct(p[1], 0), 0))
        return (self.value(p, depth), 0)

    def closure(self, parameters, result, depth):
        """Of these types; the variables around it are borrowed."""
        r = self.random
        named = [f.name for f in self.program.functions if f.parameters == list(parameters) and f.result == result and not f.receiver
                 and not f.given and (self.fails or not f.fails) and (f.exact or not self.exact) and not f.generic]
        if named and r.random() < 0.15:
            return expression(None, SUFFIX, r.choice(named))
        names = [self.fresh("q") for _ in parameters]
        mark = self.scope.mark()
        calls, self.calls = self.calls, 0
        state = [(self.fresh("st"), r.choice(DATA)) for _ in range(r.randint(1, 2))] if r.random() < 0.4 else []
        starts = [self.value(t, 1) for _, t in state]
        for name, type in zip(names, parameters):
            self.declare(name, type)
        for name, type in state:
            self.declare(name, type)
        value = self.value(result, depth)
        changes = [statement(f"{name} = ", (self.value(type, 1), 0), ";") for name, type in state if r.random() < 0.6]
        self.scope.release(mark)
        self.calls = calls
        if not state and r.random() < 0.7:
            head = names[0] if len(names) == 1 else f"({', '.join(names)})"
            return expression(None, LOOSE, f"{head} => ", (value, 0))
        kids = [f"fn({', '.join(f'{n} {t}' for n, t in zip(names, parameters))}) "]
        listed = []
        if state:
            mutable = r.choice(["", "mut "])
            listed = ["["] + [k for i, ((n, _), v) in enumerate(zip(state, starts)) for k in (", " if i else "", f"{mutable}{n} = ", (v, 0))] + ["] "]
        kids += [*listed, f"{result} "] if r.random() < 0.5 else [f"{result} ", *listed]
        return expression(None, LOOSE, *kids, "{ ", lines(changes), " ", (value, 0), "; }")

    # ---- Slices ----

    def slice_of(self, wanted, depth):
        """A slice to read, of at least so many elements: a buffer, a part of one, an array."""
        r = self.random
        found = [s for s in self.scope.slices if s[1].of == wanted.of and s[1].least >= wanted.least]
        arrays = [(n, t) for n, t, _ in self.scope.wholes if isinstance(t, Array) and t.of == wanted.of and t.count >= wanted.least]
        if arrays and (not found or r.random() < 0.5):
            name, type = r.choice(arrays)
            return expression(None, SUFFIX, "&", name) if r.random() < 0.5 else self.cut([name], type.count, wanted.least, depth)
        if found:
            path, s = r.choice(found)
            if r.random() < 0.5:
                return self.place(path, None, 0)
            return self.cut(path, s.least, wanted.least, depth)
        return expression(None, SUFFIX, "&", (self.array(Array(wanted.of, max(wanted.least, r.randint(1, 4))), depth), 0))

    def cut(self, path, count, least, depth, mutable=False):
        """Of what has at least `count` elements, at least `least`; empty ones where that is allowed."""
        r = self.random
        sign, name = "&mut " if mutable else "&", self.place(path, None, 0)
        low = r.randint(0, count - least)
        high = r.randint(low + least, count)
        way = r.randrange(5)
        if way == 0:
            return expression(None, SUFFIX, sign, name, f"[{low}..]")
        if way == 1:
            return expression(None, SUFFIX, sign, name, f"[..<{high}]")
        if way == 2 and count > least:
            of = self.leaf("u32")
            return expression(None, SUFFIX, sign, name, "[usize.from(", (of, 0), f") % {count - least + 1}usize ..]")
        return expression(None, SUFFIX, sign, name, f"[{low}usize ..< {high}usize]")
