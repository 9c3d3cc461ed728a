"""Random statements of Cone. `budget` bounds how often the innermost statement of a body runs."""
from cone_expressions import Expressions
from cone_trees import LIST, OR_BITS, SUFFIX, expression, lines, statement
from cone_types import FLOATS, INTEGERS, NUMBERS, SCALARS, Array, Slice, random_integer

ASSIGN = {True: ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="], False: ["+=", "-=", "*="]}


class Body(Expressions):
    in_kernel = False

    def statements(self, count, depth):
        return [self.statement(depth) for _ in range(count)]

    def block(self, depth, most=3, first=()):
        """Statements in a scope of their own."""
        mark = self.scope.mark()
        made = self.statements(self.random.randint(1, most), depth - 1)
        self.scope.release(mark)
        return lines(list(first) + made)

    def statement(self, depth):
        r = self.random
        kinds = [self.local] * 5 + [self.assignment] * 4 + [self.whole_local, self.late, self.parallel, self.increment, self.slice_local, self.several, self.enumeration]
        if depth > 0:
            kinds += [self.branch] * 3 + [self.while_loop, self.each_loop, self.each_loop, self.each_element, self.match, self.value_loop, self.closure_local, self.change_elements]
        if self.fails and r.random() < 0.25:
            return self.failure()
        if self.program.changers and r.random() < 0.04:
            return self.change_struct(depth)
        if r.random() < 0.12 and (self.scope.loops or self.scope.returns is not None):
            return self.leave()
        return r.choice(kinds)(depth)

    # ---- Locals ----

    def local(self, depth):
        r = self.random
        type = r.choice(SCALARS + ("u32", "i32", "f32") * 3)
        value, name, mutable = self.value(type, r.randint(1, 3)), self.fresh(), r.random() < 0.5
        self.declare(name, type, mutable)
        return statement(f"{'mut' if mutable else 'imm'} {name}{' ' + type if r.random() < 0.4 else ''} = ", (value, 0), ";")

    def whole_local(self, depth):
        r = self.random
        types = self.program.structs + [Array(r.choice(SCALARS), r.randint(1, 6)) for _ in range(2)]
        if self.program.structs:
            types.append(Array(r.choice(self.program.structs), r.randint(1, 3)))
        type = r.choice(types)
        value, name, mutable = self.value(type, r.randint(1, 2)), self.fresh("w"), r.random() < 0.6
        self.declare(name, type, mutable)
        return statement(f"{'mut' if mutable else 'imm'} {name}{' ' + str(type) if r.random() < 0.3 else ''} = ", (value, LIST), ";")

    def late(self, depth):
        """Without a value at first."""
        r = self.random
        type = r.choice(NUMBERS)
        name, mutable = self.fresh(), r.random() < 0.5
        kids = [f"{'mut' if mutable else 'imm'} {name} {type}; if ", (self.condition(2), 0), f" {{ {name} = ", (self.value(type, 2), 0),
                f"; }} else {{ {name} = ", (self.value(type, 2), 0), "; }"]
        self.declare(name, type, mutable)
        return statement(*kids)

    def several(self, depth):
        """Of a function with several results."""
        found = [f for f in self.program.pairs if (f.exact or not self.exact) and (self.fails or not f.fails)]
        if not found or self.calls <= 0:
            return self.local(depth)
        f = self.random.choice(found)
        self.calls -= f.cost
        kids = [k for i, p in enumerate(f.parameters) for k in (", " if i else "", self.argument(p, None, 1))]
        names = [self.fresh() for _ in f.result]
        made = statement(f"imm {', '.join(names)} = {f.name}(", *kids, ");")
        for name, type in zip(names, f.result):
            self.declare(name, type)
        return made

    def slice_local(self, depth):
        r = self.random
        found = [t for _, t in self.scope.slices] + [Slice(t.of) for _, t, _ in self.scope.wholes if isinstance(t, Array) and isinstance(t.of, str)]
        if not found:
            return self.local(depth)
        wanted = Slice(r.choice(found).of, False, r.choice([0, 1, 1, 2]))
        name, value = self.fresh("sl"), self.slice_of(wanted, 1)
        self.declare(name, wanted)
        return statement(f"imm {name} = ", (value if not isinstance(value, tuple) else value[0], 0), ";")

    def closure_local(self, depth):
        r = self.random
        type = r.choice(["u32", "i32", "f32"])
        name, closure = self.fresh("fx"), self.closure([type], type, 2)
        if closure.level == SUFFIX or " => " in str(closure.kids[0]):
            return self.local(depth)
        result = self.fresh()
        made = statement(f"imm {name} = ", (closure, 0), f"; imm {result} = apply_{type}(&{name}, ", (self.number(type, 1), 0), ");")
        self.declare(result, type)
        return made

    def enumeration(self, depth):
        """Option, Result, and enums of the program."""
        r = self.random
        type, name = r.choice(NUMBERS), self.fresh("o")
        kids = [f"mut {name} = None[{type}][]; if ", (self.condition(2), 0), f" {{ {name} = Some[", (self.value(type, 2), 0), "]; }"]
        inner, result = self.fresh(), self.fresh()
        way = r.randrange(3)
        if way == 0:
            mark = self.scope.mark()
            other = self.value(type, 1)
            self.declare(inner, type)
            kids += [f" imm {result} = match {name} {{ case imm {inner} Some {{ ", (self.value(type, 2), 0), "; } else { ", (other, 0), "; } };"]
            self.scope.release(mark)
            self.declare(result, type)
        elif way == 1:
            kids += [f" imm {result} = if imm {inner} Some = {name} {{ {inner}; }} else {{ ", (self.value(type, 1), 0), "; };"]
            self.declare(result, type)
        else:
            kids += [f" imm {result} = {name} is Some;"]
            self.declare(result, "bool")
        return statement(*kids)

    # ---- Changes ----

    def target(self, types=None):
        found = [(t, p) for t, paths in self.scope.writes.items() for p in paths if types is None or t in types]
        if not found:
            return None, None
        type, path = self.random.choice(found)
        return type, self.place(path, type, 1)

    def assignment(self, depth):
        r = self.random
        type, place = self.target()
        if not place:
            return self.local(depth)
        if type == "bool" or r.random() < 0.5:
            return statement(place, " = ", (self.value(type, r.randint(1, 3)), 0), ";")
        op = r.choice(ASSIGN[type in INTEGERS] + ([] if type in INTEGERS or self.exact else ["/="]))
        return statement(place, f" {op} ", (self.value(type, r.randint(1, 2)), 0), ";")

    def increment(self, depth):
        type, place = self.target(tuple(INTEGERS))
        if not place:
            return self.local(depth)
        op = self.random.choice(["++", "--"])
        return statement(place, op, ";") if self.random.random() < 0.6 else statement(op, place, ";")

    def parallel(self, depth):
        type, a = self.target()
        _, b = self.target((type,))
        if not a:
            return self.local(depth)
        if self.random.random() < 0.5:
            return statement(a, ", ", b, " = ", b.copy(), ", ", a.copy(), ";")
        return statement(a, ", ", b, " = ", (self.value(type, 2), 0), ", ", (self.value(type, 2), 0), ";")

    def change_struct(self, depth):
        """By a method of `self &mut`."""
        s, name, parameters = self.random.choice(self.program.changers)
        found = [n for n, t, mutable in self.scope.wholes if t is s and mutable]
        if not found or self.calls <= 0:
            return self.whole_local(depth)
        self.calls -= 1
        kids = [k for i, p in enumerate(parameters) for k in (", " if i else "", (self.value(p, 1), 0))]
        return statement(f"{self.random.choice(found)}.{name}(", *kids, ");")

    def change_elements(self, depth):
        """Through `mutItems`, or a function that is given a part."""
        r = self.random
        found = [(n, t) for n, t, m in self.scope.wholes if m and isinstance(t, Array) and t.of in NUMBERS]
        if not found:
            return self.assignment(depth)
        name, type = r.choice(found)
        if r.random() < 0.5 and type.of in ("u32", "i32", "f32"):
            return statement(f"fill_{type.of}(", self.cut([name], type.count, 0, 1, True), ", ", (self.number(type.of, 2), 0), ");")
        item = self.fresh("x")
        wholes = self.scope.wholes
        self.scope.wholes = [w for w in wholes if w[0] != name]
        value = self.number(type.of, 1)
        self.scope.wholes = wholes
        return statement(f"each {item} in {name}.mutItems() {{ *{item} = *{item} {r.choice('+-*')} ", (value, SUFFIX), "; }")

    # ---- Control ----

    def branch(self, depth):
        r = self.random
        kids = ["if ", (self.condition(r.randint(1, 3)), 0), " {\n", self.block(depth), "\n}"]
        if r.random() < 0.3:
            kids += [r.choice([" elif ", " else if "]), (self.condition(2), 0), " {\n", self.block(depth), "\n}"]
        if r.random() < 0.5:
            kids += [" else {\n", self.block(depth), "\n}"]
        return statement(*kids)

    def match(self, depth):
        r = self.random
        type = r.choice(list(INTEGERS))
        kids = ["match ", (self.number(type, 2), OR_BITS), " {\n"]
        for value in {random_integer(r, type) if r.random() < 0.4 else r.randint(0, 3) for _ in range(r.randint(1, 3))}:
            kids += [f"case {value}{type} {{\n", self.block(depth, 2), "\n}\n"]
        if r.random() < 0.8:
            kids += ["else {\n", self.block(depth, 2), "\n}\n"]
        return statement(*kids, "}")

    def inside_loop(self, rounds, depth, label, kind="plain", first=()):
        before, self.budget = self.budget, self.budget // max(rounds, 1)
        calls, self.calls = self.calls, min(self.calls, 1)
        self.scope.loops.append((label, kind))
        made = self.block(depth if self.budget > 3 else 0, 3, first)
        self.scope.loops.pop()
        self.budget, self.calls = before, calls - 1
        return made

    def label(self):
        return f"'{self.fresh('l')}" if self.random.random() < 0.3 else None

    def while_loop(self, depth):
        r = self.random
        name, label, rounds = self.fresh("c"), self.label(), r.randint(1, max(1, min(self.budget, 7)))
        head = f"mut {name} = {rounds}u32; {label + ': ' if label else ''}while "
        step = statement(f"{name} = {name} - 1u32;" if r.random() < 0.6 else f"{name}--;")
        if r.random() < 0.3:
            return statement(head, "{\n", f"break if {name} == 0u32;\n", self.inside_loop(rounds, depth, label, "plain", [step]), "\n}")
        return statement(head, f"{name} > 0u32", *([" and ", (self.truth(1), OR_BITS)] if r.random() < 0.3 else []), " {\n",
                         self.inside_loop(rounds, depth, label, "plain", [step]), "\n}")

    def range(self, name):
        """The head of an each loop, its type and how many rounds there are at most."""
        r = self.random
        type = r.choice(("u32", "i32", "usize") * 2 + tuple(INTEGERS))
        rounds = r.randint(0, max(1, min(self.budget, 8)))
        lo, hi = INTEGERS.get(type, (0, 2**32 - 1))
        step = r.choice([1, 1, 1, 2, 3, 7])
        start = r.choice([0, 0, 1, lo, hi - rounds * step, max(lo, -3)])
        if r.random() < 0.6 and start + rounds * step <= hi:
            op, end = ("<", start + rounds * step) if r.random() < 0.6 else ("<=", start + max(rounds - 1, 0) * step)
            if type != "usize" and r.random() < 0.3 and start == 0 and rounds:
                end = f"({text_in_range(self, type)} & {2 ** min(2, rounds.bit_length() - 1) - 1}{type})"
                return [f"each {name} in {start}{type} {op} ", end, f" by {step}{type}" if step > 1 else ""], type, max(rounds, 4)
            return [f"each {name} in {start}{type} {op} {end}{type}", f" by {step}{type}" if step > 1 or r.random() < 0.1 else ""], type, rounds + 1
        top = min(hi, start + rounds * step)
        signed = lo < 0
        op = r.choice([">", ">="])
        by = f" by -{step}{type}" if signed and step > 1 and step <= 127 else ""
        low = top - rounds * (step if by else 1)
        return [f"each {name} in {top}{type} {op} {max(low, lo)}{type}", by], type, rounds + 1

    def each_loop(self, depth):
        r = self.random
        name, label = self.fresh("ix"), self.label()
        head, type, rounds = self.range(name)
        mark = self.scope.mark()
        self.declare(name, type)
        filter = [" if ", (self.truth(1), 0)] if r.random() < 0.15 else []
        made = statement(label + ": " if label else "", *head, *filter, " {\n", self.inside_loop(rounds, depth, label), "\n}")
        self.scope.release(mark)
        return made

    def each_element(self, depth):
        """Of an array or a slice, by borrows."""
        r = self.random
        found = [([n], t.of, t.count) for n, t, m in self.scope.wholes if isinstance(t, Array) and t.of in NUMBERS]
        found += [(p, s.of, 8) for p, s in self.scope.slices if s.of in NUMBERS]
        if not found or self.budget < 8:
            return self.each_loop(depth)
        path, type, count = r.choice(found)
        item, own, at = self.fresh("x"), self.fresh(), self.fresh("ix")
        indexed = r.random() < 0.3
        head = f"each {at + ', ' if indexed else ''}{item} in "
        mark = self.scope.mark()
        self.declare(own, type)
        if indexed:
            self.declare(at, "usize")
        body = self.inside_loop(count, 0, None, "plain", [statement(f"imm {own} = *{item};")])
        self.scope.release(mark)
        return statement(head, self.place(path, None, 0), ".indexed()" if indexed else "", " {\n", body, "\n}")

    def value_loop(self, depth):
        """A loop with a value: of a break, or of its else."""
        r = self.random
        type, result, name = r.choice(NUMBERS + ("bool",)), self.fresh(), self.fresh("ix")
        mark = self.scope.mark()
        head, of, rounds = self.range(name)
        self.declare(name, of)
        loops, self.scope.loops, returns, self.scope.returns = self.scope.loops, [], self.scope.returns, None
        before, self.budget = self.budget, self.budget // max(rounds, 1)
        calls, self.calls = self.calls, 0
        body = self.statements(r.randint(0, 2), 0)
        leave = statement("break ", (self.value(type, 2), 0), " if ", (self.truth(2), 0), ";")
        self.budget, self.calls = before, calls
        self.scope.loops, self.scope.returns = loops, returns
        self.scope.release(mark)
        made = statement(f"imm {result} = ", *head, " {\n", lines(body + [leave]), "\n} else { ", (self.value(type, 1), 0), "; };")
        self.declare(result, type)
        return made

    def leave(self):
        """break, continue or return, mostly on a condition."""
        r = self.random
        if self.scope.loops and r.random() < 0.15:
            return statement("if ", (self.truth(2), 0), f" {{ {r.choice(['break', 'continue'])}; }}")
        if self.scope.loops and (self.scope.returns is None or r.random() < 0.8):
            at = r.randrange(len(self.scope.loops))
            label, _ = self.scope.loops[at]
            last = at == len(self.scope.loops) - 1
            if label is None and not last:
                return self.assignment(0)
            return statement(r.choice(["break", "continue"]), f" {label}" if label and (not last or r.random() < 0.5) else "", " if ", (self.truth(2), 0), ";")
        kids = []
        for i, type in enumerate(self.scope.returns):
            kids += [", " if i else " ", (self.value(type, 1), 0)]
        if r.random() < 0.3:
            return statement("if ", (self.truth(2), 0), " { return", *kids, "; }")
        return statement("return", *kids, " if ", (self.truth(2), 0), ";")

    # ---- Failures ----

    def failure(self):
        """At some invocations: an index, a range, a panic, an assert."""
        r = self.random
        condition = (self.rare(), 0)
        way = r.randrange(6)
        if way == 0:
            ends = r.choice(['panic("no")', "unreachable()", 'todo("later")', 'panic(r"x")'] + [f"{never}(1u32)" for never in self.program.nevers])
            return statement("if ", condition, f" {{ {ends}; }}")
        if way == 1:
            return statement("assert(!(", condition, ")", r.choice(["", ', "it holds"']), ");")
        slices = [s for s in self.scope.slices if s[1].of in NUMBERS]
        name, other = self.fresh(), self.fresh("sl")
        far = expression("u32", SUFFIX, r.choice(["4294967295u32", "1000u32", "2147483648u32", "65u32"]))
        if slices and way == 2:
            path, s = r.choice(slices)
            return statement("if ", condition, f" {{ imm {other} = &", self.place(path, None, 0), "[usize.from(", (far, 0), ") ..]; }")
        if slices and way == 3:
            path, s = r.choice(slices)
            return statement("if ", condition, f" {{ imm {other} = &", self.place(path, None, 0), f"[{r.randint(1, 3)}usize ..< usize.from(", (self.leaf("u32"), 0), ")]; }")
        if slices and r.random() < 0.7:
            path, s = r.choice(slices)
            made = statement("if ", condition, f" {{ imm {name} = ", self.place(path, None, 0), "[usize.from(", (far, 0), ")]; }")
            return made
        count = r.randint(1, 4)
        return statement(f"imm {other} = new Array[u32, {count}] <- fill ", (self.leaf("u32"), 0), f"; imm {name} = {other}[usize.from(", (self.leaf("u32"), 0), f" % {count + 1}u32)];")

    def rare(self):
        return self.truth(1) if not self.in_kernel or self.random.random() < 0.4 else expression("bool", SUFFIX, f"me % {self.random.choice([5, 7, 11, 31])}u32 == {self.random.randint(0, 4)}u32")


def text_in_range(body, type):
    found = [p for p in body.scope.reads.get(type, []) if all(isinstance(s, str) for s in p)]
    return "".join(body.random.choice(found)) if found else f"3{type}"
