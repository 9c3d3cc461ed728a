"""Random declarations of Cone: constants, globals, structs with methods and operators, traits, enums, functions, generics."""
from cone_bodies import Body
from cone_trees import LOOSE, Part, lines, statement
from cone_types import DATA, INTEGERS, NUMBERS, SCALARS, Array, Slice, Struct, random_literal


class Function:
    """What a call needs. parameters: types, and ("closure", types, result), ("array", of), ("trait", structs), ("reference", struct)."""

    def __init__(self, name, parameters, result, cost=1, receiver=None, by_reference=False, fails=False, exact=True, given="", generic=False):
        self.name, self.parameters, self.result, self.cost = name, list(parameters), result, cost
        self.receiver, self.by_reference, self.fails, self.exact = receiver, by_reference, fails, exact
        self.given, self.generic = given, generic


def declaration(*kids, name=None):
    return Part("declaration", kids, name=name)


class Declarations:
    """Mixed into a program: structs, functions and pairs are what expressions may use."""

    # ---- Structs ----

    def random_struct(self, data):
        """data: only what a buffer may hold."""
        r = self.random
        name = f"S{len(self.structs)}"
        fields = []
        for i in range(r.randint(1, 4)):
            inner = [s for s in self.structs if s.data or not data]
            if inner and r.random() < 0.25:
                type = r.choice(inner)
                type = Array(type, 2) if r.random() < 0.2 else type
            else:
                type = r.choice(DATA if data else SCALARS)
                if r.random() < 0.25:
                    type = Array(type, r.randint(1, 3))
            fields.append((f"a{len(self.structs)}_{i}", type))
        s = Struct(name, fields)
        s.data = data
        self.structs.append(s)
        members = [statement(f"pub {f} {t};") for f, t in fields]
        kids = [f"pub struct {name}", "", " {\n", lines(members), "\n"]
        methods = [m for _ in range(r.randint(0, 3)) for m in [self.method(s)] if m]
        if r.random() < 0.4:
            methods.append(self.operator(s, r.choice("+-*&")))
        if r.random() < 0.25:
            methods.append(self.operator(s, "=="))
        if r.random() < 0.2:
            methods.append(self.operator(s, "negate"))
        if self.traits and r.random() < 0.6:
            trait = r.choice(self.traits)
            trait.structs.append(s)
            kids[1] = f" is {trait.name}"
            methods.append(self.required(s, trait))
        self.main.append(declaration(*kids, lines(methods), "\n}"))

    def body_for(self, exact, fails=False):
        b = Body(self, exact)
        b.budget, b.calls, b.fails = 8, 2, fails
        return b

    def filled(self, b, count, result, depth=1):
        """Statements and the value."""
        several = result if isinstance(result, (list, tuple)) else [result]
        b.scope.returns = several
        made = b.statements(count, depth)
        kids = [k for i, type in enumerate(several) for k in (", " if i else "", (b.value(type, 2), LOOSE + (len(several) > 1)))]
        return lines(made + [statement(*kids, ";")])

    def is_exact(self):
        return self.exact or self.random.random() < 0.5

    def method(self, s):
        r = self.random
        exact, result = self.is_exact(), r.choice(NUMBERS[4:] + (s,))
        b = self.body_for(exact)
        name = f"m{self.number()}"
        parameters = [r.choice(NUMBERS) for _ in range(r.randint(0, 2))]
        receiver = r.choice(["self", "self", "self &", "self &mut"])
        for field, type in s.fields:  # bare, or through self
            b.declare(field if r.random() < 0.7 else f"self.{field}", type, receiver == "self &mut")
        names = [f"p{i}" for i in range(len(parameters))]
        for n, type in zip(names, parameters):
            b.declare(n, type)
        if receiver == "self &mut":
            body = lines(b.statements(r.randint(1, 3), 0))
            self.changers.append((s, name, parameters))
            result_text = ""
        else:
            body, result_text = self.filled(b, r.randint(0, 2), result, 0), f" {result}"
            self.functions.append(Function(name, parameters, result, 1, s, receiver != "self", False, exact))
        head = "".join(f", {n} {t}" for n, t in zip(names, parameters))
        return statement(f"pub fn {name}({receiver}{head}){result_text} {{\n", body, "\n}")

    def operator(self, s, op):
        """Of all its fields that are numbers."""
        r = self.random
        if op == "==":
            tests = [f"{f} == o.{f}" for f, t in s.fields if isinstance(t, str)] or ["true"]
            s.operators["=="] = True
            return statement(f"pub fn `==`(self, o {s}) bool {{ {r.choice([' and ', ' or ']).join(tests)}; }}")
        b = self.body_for(True)
        b.calls = 0
        for field, type in s.fields:
            b.declare(field, type)
            if op != "negate":
                b.declare(f"o.{field}", type)
        value = b.struct(s, 2)
        s.operators[op] = True
        if op == "negate":
            return statement(f"pub fn turned overload `-`(self) {s} {{ ", (value, 0), "; }")
        return statement(f"pub fn op{self.number()} overload `{op}`(self, o {s}) {s} {{ ", (value, 0), "; }")

    # ---- Traits ----

    def random_trait(self):
        r = self.random
        trait = Struct(f"T{self.number()}", [])
        trait.type, trait.structs, trait.required, trait.given = r.choice(DATA), [], f"r{self.number()}", f"d{self.number()}"
        self.traits.append(trait)
        b = self.body_for(True)
        b.calls = 0
        b.declare("x", trait.type)
        b.declare("y", trait.type)
        self.main.append(declaration(f"trait {trait.name} {{\nfn {trait.required}(self &, x {trait.type}) {trait.type};\n"
                                     f"fn {trait.given}(self &, x {trait.type}) {trait.type} {{ imm y = {trait.required}(x); ", (b.value(trait.type, 2), 0), "; }\n}"))

    def required(self, s, trait):
        b = self.body_for(True)
        b.calls = 0
        for field, type in s.fields:
            b.declare(field, type)
        b.declare("x", trait.type)
        return statement(f"pub fn {trait.required}(self &, x {trait.type}) {trait.type} {{ ", (b.value(trait.type, 2), 0), "; }")

    # ---- Functions ----

    def number(self):
        self.counter += 1
        return self.counter

    def random_function(self):
        r = self.random
        exact, fails = self.is_exact(), self.fails and r.random() < 0.4
        b = self.body_for(exact, fails)
        pair = r.random() < 0.15
        result = [r.choice(SCALARS) for _ in range(2)] if pair else r.choice(NUMBERS + DATA + ("bool",) + tuple(self.structs))
        parameters = []
        for _ in range(r.randint(0, 3)):
            roll = r.random()
            if roll < 0.2:
                parameters.append(Slice(r.choice(DATA), False, r.choice([1, 1, 2])))
            elif roll < 0.35 and self.structs:
                parameters.append(("reference", r.choice(self.structs)))
            else:
                parameters.append(r.choice(NUMBERS + ("u32", "i32", "f32", "bool") + tuple(self.structs)))
        heads = []
        for i, p in enumerate(parameters):
            name = f"p{i}"
            if isinstance(p, tuple):
                heads.append(f"{name} &{p[1]}")
                for field, type in p[1].fields:
                    b.declare(f"{name}.{field}", type)
            else:
                mutable = not isinstance(p, Slice) and r.random() < 0.25
                heads.append(f"{'mut ' if mutable else ''}{name} {p}")
                b.declare(name, p, mutable)
        name = f"fun{self.number()}"
        texts = ", ".join(str(t) for t in result) if pair else str(result)
        body = self.filled(b, r.randint(0, 4), result, 1)
        self.main.append(declaration(f"pub fn {name}({', '.join(heads)}) {texts} {{\n", body, "\n}"))
        f = Function(name, parameters, result, 2, fails=fails, exact=exact)
        (self.pairs if pair else self.functions).append(f)

    def random_generic(self):
        """Over types, values, signatures and traits."""
        r = self.random
        way = r.randrange(5)
        name = f"g{self.number()}"
        if way == 0:
            used = r.sample(NUMBERS, 3)
            value = r.choice(["if a > b { a; } else { b; }", "a * b + a - c", "if a == b { c; } else { a - b; }", "(a + b) * c"])
            self.main.append(declaration(f"fn {name}[T](a T, b T, c T) T {{ mut t = {value}; {r.choice(['t += a; ', '', 't = t * b; '])}t; }}"))
            for type in used:
                self.functions.append(Function(name, [type] * 3, type, 1, given=r.choice(["", f"[{type}]"]), generic=True))
        elif way == 1:
            type, other = r.choice(NUMBERS), r.choice(("u32", "i32", "u64"))
            lits = random_literal(r, type)
            self.main.append(declaration(f"fn {name}[N usize](a &Array[{type}, N], n {other}) {type} {{\nmut s = {lits};\n"
                                         f"each i in 0usize < N {{ s = s {r.choice('+-*')} a[{r.choice(['i', 'N - 1usize - i', '(i * 7usize) % N'])}]; break if n == {other}.from(i); }}\ns;\n}}"))
            self.functions.append(Function(name, [("array", type), other], type, 2, generic=True))
        elif way == 2:
            type, b = r.choice(NUMBERS), self.body_for(True)
            b.calls = 0
            b.declare("x", type)
            b.declare("y", type)
            rounds = r.randint(1, 4)
            self.main.append(declaration(f"fn {name}[F fn(a {type}, b {type}) {type}](f &F, x {type}, n u32) {type} {{\nmut y = x;\n"
                                         f"each i in 0u32 < n & {rounds}u32 {{ y = f(y, ", (b.value(type, 1), 0), "); }\nf(x, y);\n}"))
            self.functions.append(Function(name, [("closure", [type, type], type), type, "u32"], type, 3, generic=True))
        elif way == 3:
            found = [t for t in self.traits if t.structs]
            if not found:
                return
            trait = r.choice(found)
            self.main.append(declaration(f"fn {name}[S {trait.name}](s &S, x {trait.type}, twice bool) {trait.type} {{\n"
                                         f"if twice {{ s.{trait.required}(s.{trait.given}(x)); }} else {{ s.{trait.given}(x); }}\n}}"))
            self.functions.append(Function(name, [("trait", trait.structs), trait.type, "bool"], trait.type, 2, generic=True))
        else:
            a, b = r.choice(NUMBERS), r.choice(NUMBERS)
            self.main.append(declaration(f"struct G{name}[A, B] {{ pub first A; pub second B; pub fn turned(self) G{name}[B, A] {{ new G{name}[B, A](second, first); }} }}\n"
                                         f"fn {name}(x {a}, y {b}) {a} {{ imm p = new G{name}[{a}, {b}](x, y); imm q = p.turned(); q.second; }}"))
            self.functions.append(Function(name, [a, b], a, 1))

    def random_enum(self):
        r = self.random
        name, number = f"E{self.number()}", self.counter
        a, b, result = r.choice(NUMBERS), r.choice(NUMBERS), r.choice(NUMBERS)
        body = self.body_for(True)
        body.calls = 0
        body.declare("x", a)
        body.declare("y", b)
        kids = [f"enum {name} {{ A{number}[{a}], B{number}[{b}], C{number} }}\n", f"fn e{number}(x {a}, y {b}, n u32) {result} {{\n"
                f"imm v = if n % 3u32 == 0u32 {{ {name}.A{number}[x]; }} elif n % 3u32 == 1u32 {{ {name}.B{number}[y]; }} else {{ {name}.C{number}[]; }};\n"
                f"match v {{\ncase imm w A{number} {{ "]
        mark = body.scope.mark()
        body.declare("w", a)
        kids += [(body.value(result, 2), 0), f"; }}\ncase imm w B{number} {{ "]
        body.scope.release(mark)
        body.declare("w", b)
        kids += [(body.value(result, 2), 0), f"; }}\ncase is C{number} {{ "]
        body.scope.release(mark)
        kids += [(body.value(result, 2), 0), "; }\n}\n}"]
        self.main.append(declaration(*kids))
        self.functions.append(Function(f"e{number}", [a, b, "u32"], result, 2))

    def random_global(self):
        """A constant, a table, or a global of each invocation."""
        r = self.random
        name, type = f"k{self.number()}", r.choice(NUMBERS)
        way = r.randrange(3)
        if way == 0:
            self.main.append(declaration(f"const {name}{r.choice(['', ' ' + type])} = {random_literal(r, type)};"))
            self.constants.append((name, type, False))
        elif way == 1:
            count = r.randint(1, 6)
            self.main.append(declaration(f"imm {name} Array[{type}, {count}] = [{', '.join(random_literal(r, type) for _ in range(count))}];"))
            self.constants.append((name, Array(type, count), False))
        else:
            self.main.append(declaration(f"mut {name} {type} = {random_literal(r, type)};"))
            self.privates.append((name, type))


def helpers():
    """What closures and parts of arrays are given to."""
    made = []
    for type in ("u32", "i32", "f32"):
        made.append(declaration(f"fn apply_{type}[F fn(x {type}) {type}](f &F, x {type}) {type} {{ f(x); }}"))
        made.append(declaration(f"fn fill_{type}(a &mut Array[{type}], v {type}) {{ each x in a.mutItems() {{ *x = v; }} }}"))
    return made
