"""Declarations of Cone of a fixed form, with random types, and random expressions in them: what the dice of cone_declarations.py
would make too rarely. Each adds functions that any expression may call."""
from cone_declarations import Function, declaration
from cone_types import DATA, INTEGERS, NUMBERS, SCALARS, Array, Slice, random_literal

LETTERS = ["'a'", "'Z'", "'0'", "'\\n'", "'\\0'", "'\\x41'", "'\\u03bb'", "'\\U0001F600'", "' '"]


class Templates:
    """Mixed into a program."""

    def templates(self):
        r = self.random
        every = [self.with_defaults, self.with_init, self.of_slices, self.plain_enum, self.with_results, self.generic_enum, self.letters,
                 self.aliases, self.tables, self.borrows, self.pointer_sized, self.same_bits, self.changed_outside, self.two_traits,
                 self.generic_struct, self.operators_of_a_kind, self.constants_of_constants, self.several_results]
        for make in r.sample(every, r.randint(1, 4)):
            make()

    def hole(self, result, names, depth=2):
        """An expression over these: pairs of a name and a type."""
        b = self.body_for(True)
        b.calls = 0
        for name, type in names:
            b.declare(name, type)
        return (b.value(result, depth), 0)

    def named(self, letter):
        return f"{letter}{self.number()}"

    def numbers(self, count, among=NUMBERS):
        return [self.random.choice(among) for _ in range(count)]

    def add(self, name, parameters, result, cost=1, **more):
        self.functions.append(Function(name, parameters, result, cost, generic=True, **more))

    # ---- Structs ----

    def with_defaults(self):
        """Of fields and of parameters."""
        r = self.random
        a, b, c, result = self.numbers(4)
        s, f = self.named("D"), self.named("fd")
        fields = [("d.x", a), ("d.y", b), ("d.z", c), ("x", a), ("y", b), ("e.x", a), ("e.z", c)]
        self.main.append(declaration(
            f"struct {s} {{ pub x {a} = {random_literal(r, a)}; pub y {b} = {random_literal(r, b)}; pub z {c} = {random_literal(r, c)}; }}\n"
            f"pub fn {f}(x {a}, y {b} = {random_literal(r, b)}, line u32 = srcLine()) {result} {{\n"
            f"imm d = new {s}({r.choice(['', 'x', 'y: y', 'z: ' + random_literal(r, c) + ', x: x'])});\nimm e = new {s}(x);\n"
            "if line == 0u32 { return ", self.hole(result, fields), "; }\n", self.hole(result, fields), ";\n}"))
        self.add(f, [a], result)
        self.add(f, [a, b], result)

    def with_init(self):
        """init, functions without self, methods that call methods, `()`, `[]` and operators by kind of the right side."""
        r = self.random
        a, b = self.numbers(2)
        s, f = self.named("I"), self.named("fi")
        inner = [("n", a), ("m", b)]
        self.main.append(declaration(
            f"struct {s} {{\nleft {a}; right {b};\n"
            f"pub fn init(self &new, n {a}, m {b} = {random_literal(r, b)}) {{ *self = new Self(", self.hole(a, inner), ", ", self.hole(b, inner), "); }\n"
            f"pub fn of(n {a}) {s} {{ new {s}(n); }}\n"
            f"pub fn plus overload `+`(self, o {s}) {s} {{ mut t = {s}.of(left); t.right = ", self.hole(b, [("right", b), ("o.right", b), ("left", a)]), "; t; }\n"
            f"pub fn scaled overload `*`(self, k u32) {s} {{ new {s}(", self.hole(a, [("left", a), ("k", "u32")]), ", right); }\n"
            f"pub fn times overload `*`(self, o {s}) {a} {{ ", self.hole(a, [("left", a), ("o.left", a)]), "; }\n"
            f"pub fn `()`(self &, x {a}) {a} {{ ", self.hole(a, [("x", a), ("left", a), ("right", b)]), "; }\n"
            f"pub fn `[]`(self, i usize) {a} {{ if i == 0usize {{ left; }} else {{ times(self); }} }}\n"
            f"pub fn `<`(self, o {s}) bool {{ left < o.left; }}\npub fn `!=`(self, o {s}) bool {{ right != o.right; }}\n"
            f"pub fn `~`(self) {b} {{ right; }}\n"
            f"pub fn step(self &mut, by {a}) {{ left += by; }}\npub fn twice(self &mut, by {a}) {{ step(by); self.step(left); }}\n}}\n"
            f"fn apply{s}[F fn(x {a}) {a}](f &F, x {a}) {a} {{ f(f(x)); }}\n"
            f"pub fn {f}(x {a}, y {b}, k u32) {a} {{\nmut p = new {s}(x, y);\nimm q = {s}.of(x) + p * k;\np += q;\np.twice(x);\n"
            f"mut z = if p < q {{ p[0]; }} elif p != q {{ q[usize.from(k & 1u32)]; }} else {{ p * q; }};\n"
            f"z = z {r.choice('+-*')} apply{s}(&q, x);\nimm w = ~p;\n", self.hole(a, [("z", a), ("x", a), ("w", b)]), ";\n}"))
        self.add(f, [a, b, "u32"], a, 3)

    def of_slices(self):
        """Slices in structs, set again, given back, and held by a name."""
        r = self.random
        type = r.choice(DATA)
        v, f = self.named("V"), self.named("fv")
        names = [("s", type), ("t", type), ("x", type)]
        self.main.append(declaration(
            f"struct {v} {{\npub data &Array[{type}]; pub first usize;\npub fn at(self &, i usize) {type} {{ data[(first + i) % data.len]; }}\n"
            f"pub fn moved(self) {v} {{ new {v}(&data[1usize..], first + 1usize); }}\n}}\n"
            f"fn part{v}(a &Array[{type}]) &Array[{type}] {{ &a[..<a.len / 2usize + 1usize]; }}\n"
            f"pub fn {f}(a &Array[{type}], x {type}, n u32) {type} {{\nimm v = new {v}(a, usize.from(n % 5u32));\n"
            f"mut s = v.moved().at(usize.from(n & 7u32));\nmut rest = &a[0..];\n"
            f"while rest.len > 1usize {{\nimm t = rest[0];\ns = ", self.hole(type, names, 1), f";\nrest = &rest[rest.len / 2usize + {r.randint(0, 1)}usize..];\n}}\n"
            f"imm t = part{v}(v.data)[0];\n", self.hole(type, names), ";\n}"))
        self.add(f, [Slice(type, False, 2), type, "u32"], type, 2)

    def generic_struct(self):
        """A ring of values, of a type and a length."""
        r = self.random
        type = r.choice(NUMBERS)
        s, f, count = self.named("Q"), self.named("fq"), r.randint(2, 4)
        self.main.append(declaration(
            f"struct {s}[T, N usize] {{\nitems Array[T, N]; at usize;\npub fn push(self &mut, item T) {{ items[at % N] = item; at += 1usize; }}\n"
            f"pub fn nth(self &, back usize) T {{ items[(at + N - 1usize - back % N) % N]; }}\n}}\n"
            f"pub fn {f}(a {type}, b {type}, n u32) {type} {{\nimm start = new Array[{type}, {count}] <- {r.choice(['fill a', f'a, {count - 1} of b'])};\nmut q = new {s}[{type}, {count}](start, 0usize);\n"
            f"each i in 0u32 < n % 7u32 {{ q.push(if i & 1u32 {{ a; }} else {{ b; }}); }}\nimm x = q.nth(0);\nimm y = q.nth(usize.from(n % {count}u32));\n",
            self.hole(type, [("x", type), ("y", type), ("a", type)]), ";\n}"))
        self.add(f, [type, type, "u32"], type, 2)

    def operators_of_a_kind(self):
        """A struct of one number, with the operators of numbers; a receiver of each permission."""
        r = self.random
        type = r.choice([t for t in INTEGERS if t not in ("u8", "i8")])
        s, f = self.named("O"), self.named("fo")
        ops = r.sample(["-", "/", "%", "<<", ">>", "|", "^", "&"], 4)
        methods = "".join(f"pub fn `{op}`(self, o {s}) {s} {{ new {s}(n {op} o.n); }}\n" for op in ops)
        uses = "".join(f"p = p {op} q; " if r.random() < 0.5 else f"p {op}= q; " for op in ops)
        self.main.append(declaration(
            f"struct {s} {{ pub ro n {type};\n{methods}pub fn `>=`(self, o {s}) bool {{ n >= o.n; }}\npub fn `==`(self, o {s}) bool {{ n == o.n; }}\n"
            f"pub fn up(self &uni) {{ n += 1{type}; }}\npub fn seen(self &ro) {type} {{ n; }}\npub fn kept(self &imm) {type} {{ n * 2{type}; }}\n}}\n"
            f"pub fn {f}(a {type}, b {type}) {type} {{\nmut p = new {s}(a);\nimm q = new {s}(b);\n{uses}\np.up();\n"
            "imm c = p.seen();\nimm d = if p >= q and !(p == q) { q.kept(); } else { p.n; };\n", self.hole(type, [("a", type), ("c", type), ("d", type)]), ";\n}"))
        self.add(f, [type, type], type, 2)

    # ---- Enums ----

    def plain_enum(self):
        """Without data, with numbers of its own, a method, and comparisons."""
        r = self.random
        type, result = self.numbers(2)
        e, f = self.named("M"), self.named("fm")
        tag = r.choice(["", " u8", " u16"])
        third = r.choice(["", " = 7" if tag else ""])
        self.main.append(declaration(
            f"enum {e}{tag} {{ A{e}, B{e}, C{e}{third}; fn isFirst(self) bool {{ self == {e}.A{e}; }} }}\n"
            f"fn next{e}(m {e}) {e} {{ match m {{ case {e}.A{e} {{ {e}.B{e}; }} case {e}.B{e} {{ {e}.C{e}[]; }} else {{ {e}.A{e}; }} }} }}\n"
            f"pub fn {f}(x {type}, n u32) {result} {{\nmut m = {e}.A{e};\neach i in 0u32 < n % 5u32 {{ m = next{e}(m); }}\n"
            "if m.isFirst() { ", self.hole(result, [("x", type), ("n", "u32")]), f"; }} elif m != {e}.B{e} {{ ", self.hole(result, [("x", type)]),
            "; } else { ", self.hole(result, [("x", type)]), "; }\n}"))
        self.add(f, [type, "u32"], result, 2)

    def with_results(self):
        """Option and Result of functions, in structs, asked in each way."""
        r = self.random
        a, b, result = self.numbers(3)
        f = self.named("fr")
        option = r.choice([f"?{a}", f"Option[{a}]"])
        self.main.append(declaration(
            f"fn maybe{f}(x {a}, n u32) {option} {{ if n % 3u32 == 0u32 {{ None[{a}][]; }} else {{ Some[", self.hole(a, [("x", a), ("n", "u32")]), "]; } }\n"
            f"fn tried{f}(x {a}, y {b}) Result[{b}, {a}] {{ if ", self.hole("bool", [("x", a), ("y", b)]), " { return Error[x]; } Ok[", self.hole(b, [("y", b)]), "]; }\n"
            f"struct Found{f} {{ pub at {option}; pub tries u32; }}\n"
            f"fn or{f}[T](o Option[T], other T) T {{ match o {{ case imm v Some {{ v; }} else {{ other; }} }} }}\n"
            f"pub fn {f}(x {a}, y {b}, n u32) {result} {{\nimm found = new Found{f}(maybe{f}(x, n), n);\nmut w = or{f}(found.at, x);\n"
            f"if imm v Some = found.at {{ w = v; }} elif found.at is None {{ w = x; }}\n"
            f"match tried{f}(w, y) {{\ncase imm v Ok {{ ", self.hole(result, [("v", b), ("w", a)]), "; }\ncase imm v Error { ", self.hole(result, [("v", a), ("y", b)]), "; }\n}\n}"))
        self.add(f, [a, b, "u32"], result, 3)

    def generic_enum(self):
        """Asked by a loop, for so many rounds."""
        r = self.random
        type = r.choice(NUMBERS)
        e, f = self.named("N"), self.named("fn")
        self.main.append(declaration(
            f"enum {e}[T] {{ Go{e}[T], Stop{e} }}\n"
            f"fn more{e}(x {type}, left u32) {e}[{type}] {{ if left == 0u32 {{ {e}[{type}].Stop{e}[]; }} else {{ {e}[{type}].Go{e}[", self.hole(type, [("x", type)], 1), "]; } }\n"
            f"pub fn {f}(x {type}, n u32) {type} {{\nmut left = n % 4u32;\nmut y = x;\nmut state = more{e}(x, left);\n"
            f"while state is Go{e} {{\nleft--;\nmatch state {{ case imm v Go{e} {{ y = y {r.choice('+-*')} v; state = more{e}(y, left); }} else {{ }} }}\n}}\ny;\n}}"))
        self.add(f, [type, "u32"], type, 3)

    # ---- Values ----

    def letters(self):
        r = self.random
        f, result = self.named("fc"), r.choice(NUMBERS)
        a, b, c = r.sample(LETTERS, 3)
        self.main.append(declaration(
            f"fn kind{f}(c char) u32 {{ if c == {a} {{ 1u32; }} elif c >= {b} and c != {c} {{ u32.from(c); }} else {{ u32.from(c < 'm'); }} }}\n"
            f"pub fn {f}(n u32, low u8) {result} {{\nimm c = char.from(n % 200u32);\nimm k = kind{f}(c);\nimm same = low == 'q';\nimm list = [c, {a}, {b}];\n"
            f"imm d = list[usize.from(n) % 3usize];\nimm m = u32.from(d);\n", self.hole(result, [("k", "u32"), ("same", "bool"), ("m", "u32")]), ";\n}"))
        self.add(f, ["u32", "u8"], result)

    def aliases(self):
        r = self.random
        type, other = self.numbers(2)
        f, count = self.named("fa"), r.randint(1, 4)
        self.main.append(declaration(
            f"alias W{f} = {type};\nalias L{f} = Array[{other}, {count}];\n"
            f"pub fn {f}(x W{f}, l L{f}) W{f} {{\nmut t = l;\nt[usize.from(l.len - 1usize)] = ", self.hole(other, [("x", type), ("l", Array(other, count))]),
            ";\n", self.hole(type, [("x", type), ("t", Array(other, count))]), ";\n}"))
        self.add(f, [type, Array(other, count)], type)

    def tables(self):
        """Arrays of arrays, by rows and by both indexes."""
        r = self.random
        type = r.choice(NUMBERS)
        f, n, m = self.named("ft"), r.randint(1, 3), r.randint(1, 3)
        names = [("x", type), ("y", type)]
        self.main.append(declaration(
            f"pub fn {f}(x {type}, y {type}, n u32) {type} {{\nmut a = new Array[{type}, {n}, {m}] <- fill new Array[{type}, {m}] <- fill x;\n"
            f"imm b Array[Array[{type}, {m}], {n}] = [{', '.join('[' + ', '.join(r.choice('xy') for _ in range(m)) + ']' for _ in range(n))}];\n"
            f"each i, line in b.indexed() {{ each j in 0usize < {m} {{ a[i][j] = line[j] {r.choice('+-*')} ", self.hole(type, names, 1), "; } }\n"
            "each line in a.mutItems() { line[0] += y; }\n"
            f"mut s = a[usize.from(n) % {n}usize][{m - 1}];\neach line in a {{ each v in line {{ s = s {r.choice('+-*')} *v; }} }}\ns;\n}}"))
        self.add(f, [type, type, "u32"], type, 3)

    def borrows(self):
        """Of numbers and elements, with each permission."""
        r = self.random
        type = r.choice(NUMBERS)
        f = self.named("fb")
        names = [("x", type), ("y", type)]
        one, two, three = (r.choice(["&mut", "&uni"]) for _ in range(3))
        look, keep = r.choice(["&", "&ro", "&imm"]), r.choice(["&", "&ro"])
        space = {"&": "&"}.get
        self.main.append(declaration(
            f"fn bump{f}(p {one} {type}, y {type}) {{ imm x = *p; *p = ", self.hole(type, names, 1), "; }\n"
            f"fn look{f}(p {space(look, look + ' ')}{type}, y {type}) {type} {{ imm x = *p; ", self.hole(type, names, 1), "; }\n"
            f"fn swap{f}[T](a &mut T, b &mut T) {{ imm t = *a; *a = *b; *b = t; }}\n"
            f"pub fn {f}(mut x {type}, y {type}) {type} {{\nmut l = [x, y];\nbump{f}({one} x, y);\nbump{f}({one} l[1], x);\nimm p = &mut l;\np[0] = x;\n"
            f"imm q = {space(keep, keep + ' ')}l[1];\nmut z = look{f}({space(look, look + ' ')}x, *q);\nswap{f}(&mut z, &mut x);\nz {r.choice('+-*')} l[0] {r.choice('+-')} x;\n}}"))
        self.add(f, [type, type], type, 2)

    def pointer_sized(self):
        """isize and usize, never so large that 32 and 64 bits differ."""
        r = self.random
        f, result = self.named("fz"), r.choice(("i32", "u32", "i16", "f32"))
        self.main.append(declaration(
            f"pub fn {f}(a i8, b u8) {result} {{\nmut s = isize.from(a) * {r.randint(-9, 9)}isize;\nimm u = usize.from(b) {r.choice('+*')} {r.randint(1, 9)}usize;\n"
            f"s {r.choice(['+=', '-=', '/=', '%='])} isize.from(u) - {r.randint(-3, 3)}isize;\ns = s >> {r.randint(0, 3)}isize;\n"
            f"if s < -{r.randint(1, 40)}isize {{ s = -s; }}\n{result}.from(s) {r.choice('+-')} {result}.from(u % {r.randint(1, 9)}usize);\n}}"))
        self.add(f, ["i8", "u8"], result)

    def same_bits(self):
        """Of arrays and structs."""
        r = self.random
        f = self.named("fs")
        wide, result = r.choice(["u64", "i64"]), r.choice(NUMBERS)
        self.main.append(declaration(
            f"struct Two{f} {{ pub a i32; pub b f32; }}\n"
            f"pub fn {f}(x u32, y u32) {result} {{\nimm l = [x, y];\nimm s = l as Two{f};\nimm w = l as {wide};\nimm h = w as Array[{r.choice(['u16', 'i16'])}, 4];\n"
            f"imm o = h as Array[{r.choice(['u8', 'i8'])}, 8];\nimm v = s.a;\nimm f = s.b;\nimm p = u32.from(h[{r.randint(0, 3)}]);\nimm q = i32.from(o[usize.from(x) % 8usize]);\n",
            self.hole(result, [("v", "i32"), ("f", "f32"), ("w", wide), ("p", "u32"), ("q", "i32")]), ";\n}"))
        self.add(f, ["u32", "u32"], result)

    def constants_of_constants(self):
        """Worked out when compiling."""
        r = self.random
        k, f, type = self.named("K"), self.named("fk"), r.choice(("u32", "i32", "u64"))
        a, b = r.randint(1, 9), r.randint(1, 5)
        self.main.append(declaration(
            f"const {k} {type} = {a} * {b} + (1{type} << {r.randint(0, 9)}{type});\nconst {k}n = {k} % 3{type} + 1{type};\nconst {k}c = {k} > {a}{type};\n"
            f"imm {k}t Array[{type}, 3] = [{k}, {k}n * 2{type}, {k}n - 1{type}];\nconst {k}s = new Array[f32, 2] <- fill {r.randint(0, 9)}.25;\n"
            f"pub fn {f}(x {type}, n u32) {type} {{ if {k}c {{ x / {k}n + {k}t[usize.from(n) % {k}t.len]; }} else {{ x * {k} + {type}.from({k}s[1]); }} }}"))
        self.add(f, [type, "u32"], type)

    # ---- Functions ----

    def changed_outside(self):
        """Closures that change what is around them, that are kept, and that are in one another; structs and functions in their place."""
        r = self.random
        type = r.choice(NUMBERS)
        f = self.named("fe")
        names = [("x", type), ("y", type)]
        own, lent = r.choice([("", ""), ("'a, ", "'a ")])
        self.main.append(declaration(
            f"fn for{f}[F fn(i usize)](n usize, f &mut F) {{ each i in 0usize < n {{ f(i); }} }}\n"
            f"fn fold{f}[{own}T, F fn(a T, b T) T](items &{lent}Array[T], start T, f &F) T {{ mut s = start; each item in items {{ s = f(s, *item); }} s; }}\n"
            f"fn pair{f}[F fn(a {type}) {type}, G fn(a {type}) {type}](f &F, g &G, x {type}) {type} {{ g(f(x)); }}\n"
            f"fn plain{f}(a {type}) {type} {{ ", self.hole(type, [("a", type)], 1), "; }\n"
            f"pub fn {f}(x {type}, y {type}, n u32) {type} {{\nmut total = y;\nfor{f}(usize.from(n % 4u32), fn(i usize) {{ total = total {r.choice('+-*')} x; }});\n"
            f"imm kept = fn(a {type}) {type} [seen = y; x] {{ a {r.choice('+-*')} seen + x; }};\n"
            f"imm z = pair{f}(&kept, plain{f}, fold{f}(&[x, y, total], x, (a, b) => a {r.choice('+-*')} b));\n"
            f"pair{f}(a => pair{f}(b => b {r.choice('+-*')} x, plain{f}, a), kept, z) + kept(total);\n}}"))
        self.add(f, [type, type, "u32"], type, 3)

    def never(self):
        """Does not return."""
        f = self.named("never")
        self.main.append(declaration(f"fn {f}(n u32) Never {{ {self.random.choice(['panic', 'todo'])}(\"a \\u00e4 \\\"text\\\"\"); }}"))
        self.nevers.append(f)

    def place_of_invocation(self):
        """Of kernels alone, which hand on what they are."""
        r = self.random
        f = self.named("place")
        field = r.choice([f"localId[{r.randrange(3)}]", f"globalId[{r.randrange(3)}]", f"groupId[{r.randrange(3)}]", "localIndex"])
        self.main.append(declaration(f"fn {f}(inv Invocation, k u32) u32 {{ inv.{field} * k + inv.groupCount[{r.randrange(3)}]; }}"))
        self.places.append(f)

    def two_traits(self):
        """Bounds of two traits, Self, and a method that a trait gives another body."""
        r = self.random
        type = r.choice(NUMBERS)
        t, f = self.named("P"), self.named("fp")
        names = [("v", type), ("o.v", type)]
        self.main.append(declaration(
            f"trait Ring{t} {{ fn plus(self, o Self) Self; fn squared(self &) Self {{ self.plus(*self); }} }}\n"
            f"trait Sized{t} {{ fn size(self &) {type}; fn isLarge(self &) bool {{ size() > {random_literal(r, type)}; }} }}\n"
            f"struct A{t} is Ring{t}, Sized{t} {{ pub v {type}; pub fn plus(self, o A{t}) A{t} {{ new A{t}(", self.hole(type, names), f"); }} pub fn size(self &) {type} {{ v; }} }}\n"
            f"struct B{t} is Ring{t}, Sized{t} {{ pub v {type}; pub w u32; pub fn plus(self, o B{t}) B{t} {{ new B{t}(", self.hole(type, names), f", w + o.w); }}\n"
            f"pub fn size(self &) {type} {{ v; }} pub fn squared(self &) B{t} {{ new B{t}(v * v, w); }} }}\n"
            f"fn both{t}[T Ring{t} + Sized{t}](a &T, b &T) {type} {{ a.plus(*b).size() + a.squared().size(); }}\n"
            f"fn sizes{t}[A Sized{t}, B Sized{t}](a &A, b &B) {type} {{ if a.isLarge() {{ a.size(); }} else {{ b.size(); }} }}\n"
            f"pub fn {f}(x {type}, y {type}, n u32) {type} {{\nimm a = new A{t}(x);\nimm b = new B{t}(y, n);\n"
            f"both{t}(&a, &new A{t}(y)) {r.choice('+-*')} both{t}[B{t}](&b, &b) + sizes{t}(&a, &b) - sizes{t}(&b, &a) + sizes{t}(fn() [mut k = x] {type} {{ k += y; k; }}, () => y);\n}}"))
        self.add(f, [type, type, "u32"], type, 3)

    def several_results(self):
        """Several results, given back on each way, and a function without a result; functions said to be inline or pure."""
        r = self.random
        a, b, result = self.numbers(3, SCALARS[:-1])
        f = self.named("fw")
        names = [("x", a), ("y", b)]
        self.main.append(declaration(
            f"fn @initpure low{f}(x {a}) {a} {{ ", self.hole(a, [("x", a)], 1), "; }\n"
            f"fn put{f}(l &mut Array[{b}], y {b}) inline {{ return if l.len < 2usize; l[1] = y; l[0], l[1] = l[1], l[0]; }}\n"
            f"fn three{f}(x {a}, y {b}, n u32) {a}, {b}, bool {{\nif n & 1u32 {{ return low{f}(x), y, true; }}\nreturn x, ", self.hole(b, names, 1), f", false if n > 9u32;\n{random_literal(r, a)}, y, n > 3u32;\n}}\n"
            f"pub fn {f}(x {a}, y {b}, n u32) {result} {{\nmut l = [y, y];\nput{f}(&mut l, ", self.hole(b, names, 1), f");\nmut p, q, t = three{f}(x, l[0], n);\np, q = low{f}(p), l[1];\n",
            self.hole(result, [("p", a), ("q", b), ("t", "bool")]), ";\n}"))
        self.add(f, [a, b, "u32"], result, 3)
