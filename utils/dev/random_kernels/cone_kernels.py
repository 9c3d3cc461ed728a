"""Random Cone kernels that do not race, and the data of a dispatch of each.

An invocation writes its own elements of the buffers; elements of all are written by atomics of one kind, whose results
nothing depends on. Workgroup memory goes in phases: all write their own, wait, read what they like, wait."""
import shlex

from cone_bodies import Body
from cone_trees import SUFFIX, Part, expression, lines, statement
from cone_types import DATA, INTEGERS, Array, Slice, Struct, number_of_word, random_integer, random_literal, random_word, words_of

SIZES = [(32,), (32,), (64,), (7,), (1,), (16,), (8, 4), (5, 3), (4, 4, 2), (2, 3, 5), (1, 1, 8), (96,)]
FAMILIES = [("add", "sub"), ("add", "sub"), ("min",), ("max",), ("bitAnd",), ("bitOr",), ("bitXor",), ("exchange",)]
ORDERS = {"load": ["Relaxed", "Acquire", "SeqCst"], "store": ["Relaxed", "Release", "SeqCst"]}
ALL = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"]
PAIRS = [("Relaxed", "Relaxed"), ("Acquire", "Relaxed"), ("Acquire", "Acquire"), ("Release", "Relaxed"), ("AcqRel", "Acquire"),
         ("SeqCst", "SeqCst"), ("SeqCst", "Acquire"), ("SeqCst", "Relaxed")]


class Buffer:
    def __init__(self, name, type, count, words, written=False):
        self.name, self.type, self.count, self.words, self.written = name, type, count, words, written
        self.sorted = False

    def kinds(self):
        """The types of its words."""
        one = words_of(self.type)
        return one * self.count


class Kernel(Body):
    in_kernel = True

    def __init__(self, program, number, exact, fails):
        super().__init__(program, exact)
        r = self.random
        self.name, self.will_fail = f"kernel{number}", fails
        self.size = (r.choice(SIZES) + (1, 1))[:3]
        threads = self.size[0] * self.size[1] * self.size[2]
        self.groups = tuple(r.choice([1, 1, 2, 3]) if self.size[i] > 1 or i == 0 else r.choice([1, 1, 1, 2]) for i in range(3))
        while threads * self.groups[0] * self.groups[1] * self.groups[2] > 200:
            self.groups = tuple(max(1, g - 1) for g in self.groups)
        self.members, self.total = threads, threads * self.groups[0] * self.groups[1] * self.groups[2]
        self.grouped = r.random() < 0.35
        self.buffers, self.settings, self.atomics, self.phases = [], [], [], 0
        self.twin = True
        self.returns_early = False
        self.calls = 5
        self.budget = r.choice([8, 20, 40])
        self.node = self.make()

    # ---- Parameters ----

    def data_type(self):
        r = self.random
        structs = [s for s in self.program.structs if s.data]
        if structs and r.random() < 0.4:
            return r.choice(structs)
        return Array(r.choice(DATA), r.randint(1, 3)) if r.random() < 0.15 else r.choice(DATA)

    def words(self, type, count):
        return [random_word(self.random, kind, self.program.calm) for kind in words_of(type) * count]

    def read_buffer(self):
        r = self.random
        type, name = self.data_type(), f"in{len(self.buffers)}"
        count = r.choice([1, 2, 3, 8, 17, 30]) if r.random() < 0.95 else 0
        self.buffers.append(Buffer(name, type, count, self.words(type, count)))
        self.heads.append(f"{name} &Array[{type}]")
        if isinstance(type, str):
            self.declare(name, Slice(type, False, count))
        elif count:
            self.declare(name, type, False, [name, count])

    def own_buffer(self, first):
        """Some elements of each invocation."""
        r = self.random
        type, name, each = "u32" if first else self.data_type(), f"out{len(self.buffers)}", r.randint(1, 3)
        count = self.total * each
        self.buffers.append(Buffer(name, type, count, self.words(type, count), True))
        self.heads.append(f"{name} &mut Array[{type}]")
        if r.random() < 0.3:
            self.prologue.append(f"imm own{name} = &mut {name}[at * {each}usize ..< at * {each}usize + {each}usize];")
            places = [f"own{name}[{j}]" for j in range(each)]
        else:
            places = [f"{name}[at * {each}usize + {j}usize]" if each > 1 else f"{name}[at]" for j in range(each)]
        for place in places:
            self.declare(name, type, True, [place, ""])
            self.owned.append((name, type, place))

    def atomic_buffer(self):
        r = self.random
        type, name = r.choice(["u32", "i32"]), f"at{len(self.buffers)}"
        own = r.random() < 0.4
        count = self.total if own else r.randint(1, 5)
        self.buffers.append(Buffer(name, type, count, self.words(type, count), True))
        if not own and r.random() < 0.25:
            self.heads.append(f"{name} &mut Array[{type}]")
            self.atomics.append((name, count, type, r.choice(FAMILIES[:-1]), None))
            return
        self.heads.append(f"{name} &mut Array[Atomic[{type}]]")
        if own:
            self.own_atomics.append((f"{name}[at]", type))
        else:
            self.atomics.append((name, count, type, r.choice(FAMILIES), ""))

    def atomic_struct_buffer(self):
        """Atomics as fields, alone and in arrays, beside plain ones: an element of each invocation, or one of all."""
        r = self.random
        a, b, plain = r.choice(["u32", "i32"]), r.choice(["u32", "i32"]), r.choice(DATA)
        s, name, count = f"Cell{self.program.number()}", f"cells{len(self.buffers)}", r.randint(1, 2)
        own = r.random() < 0.5
        total = self.total if own else r.randint(1, 3)
        self.program.main.append(Part("declaration", [f"struct {s} {{ pub n Atomic[{a}]; pub x {plain}; pub l Array[Atomic[{b}], {count}]; }}"]))
        whole = Struct(s, [("n", a), ("x", plain), ("l", Array(b, count))])
        self.buffers.append(Buffer(name, whole, total, self.words(whole, total), True))
        self.heads.append(f"{name} &mut Array[{s}]")
        if own:
            self.own_atomics += [(f"{name}[at].n", a)] + [(f"{name}[at].l[{i}]", b) for i in range(count)]
            self.declare(name, plain, True, [f"{name}[at].x", ""])
        else:
            self.atomics += [(name, total, a, r.choice(FAMILIES), ".n"), (name, total, b, r.choice(FAMILIES), f".l[{r.randrange(count)}]")]

    def settings_parameter(self):
        s = self.random.choice([s for s in self.program.structs if s.data])
        self.heads.append(f"set {s}")
        self.declare("set", s)
        self.set_words("set", s)

    def set_words(self, path, type):
        if isinstance(type, Struct):
            for field, of in type.fields:
                self.set_words(f"{path}.{field}", of)
        elif isinstance(type, Array):
            for i in range(type.count):
                self.set_words(f"{path}[{i}]", type.of)
        else:
            self.settings.append(f"{path}={number_of_word(random_word(self.random, type, self.program.calm), type)}")

    # ---- Atomics ----

    def statement(self, depth):
        r = self.random
        if self.atomics and r.random() < 0.1:
            return self.atomic()
        if self.own_atomics and r.random() < 0.1:
            return self.own_atomic()
        return super().statement(depth)

    def change(self, place, type, name, value, plain):
        """One operation of a family, its result dropped; in either form. plain: of a number that is no Atomic."""
        r = self.random
        if plain:
            form = f"{name[0].upper()}{name[1:]}" if not name.startswith("bit") else name[3:]
            return [f"mem.atomic{form}[{type}](&", *place, ", ", value, f", MemOrder.{r.choice(ALL)})"]
        if r.random() < 0.5:
            return [*place, f".{name}(", value, ")"]
        return [*place, f".{name}Ordered(", value, f", MemOrder.{r.choice(ALL)}{r.choice(['', '', '[]'])})"]

    def atomic(self):
        r = self.random
        name, count, type, family, field = r.choice(self.atomics)
        place = [name, "[", self.index(count), "]" + (field or "")]
        value = (self.number(type, 2), 0)
        op = r.choice(family)
        if op != "exchange":
            return statement(*self.change(place, type, op, value, field is None), ";")
        at, by, seen = self.fresh("ix"), self.fresh(), self.fresh()
        return statement(f"imm {at} usize = ", place[2], f"; imm {by} = ", value, f"; mut {seen} = {name}[{at}]{field}.load(); while {{ imm now{seen}, done{seen} = {name}[{at}]{field}"
                         f".compareSwapOrdered({seen}, {seen} + {by}, MemOrder.AcqRel, MemOrder.Relaxed); break if done{seen}; {seen} = now{seen}; }}")

    def own_atomic(self):
        """Of an element that no other invocation touches: every operation, order and result."""
        r = self.random
        place, type = r.choice(self.own_atomics)
        result = self.fresh()
        op = r.choice(["load", "store", "swap", "add", "sub", "min", "max", "bitAnd", "bitOr", "bitXor", "compareSwap"])
        value, ordered = (self.number(type, 2), 0), r.random() < 0.5
        order = r.choice(ORDERS.get(op, ALL)) if not self.fails or r.random() < 0.9 else r.choice(ALL)
        if op == "compareSwap":
            a, b = r.choice(PAIRS)
            done = self.fresh()
            made = statement(f"imm {result}, {done} = {place}.compareSwap{'Ordered' if ordered else ''}(", (self.leaf(type), 0), ", ", value,
                             f", MemOrder.{a}, MemOrder.{b}" if ordered else "", ");")
            self.declare(done, "bool")
        elif op == "store":
            return statement(f"{place}.store{'Ordered' if ordered else ''}(", value, f", MemOrder.{order}" if ordered else "", ");")
        elif op == "load":
            made = statement(f"imm {result} = {place}.load{f'Ordered(MemOrder.{order})' if ordered else '()'};")
        else:
            made = statement(f"imm {result} = {place}.{op}{'Ordered' if ordered else ''}(", value, f", MemOrder.{order}" if ordered else "", ");")
        self.declare(result, type)
        return made

    # ---- Phases of workgroup memory ----

    def workgroup(self, type):
        name = f"wg{self.program.number()}"
        self.program.main.append(Part("declaration", [f"mut @workgroup {name} {type};"]))
        return name

    def phase(self):
        return self.random.choice([self.exchange, self.exchange, self.rounds, self.counted, self.through_buffer])()

    def exchange(self):
        r = self.random
        type = self.data_type()
        name = self.workgroup(Array(type, self.members))
        return lines([statement(f"{name}[here] = ", (self.value(type, 2), 0), ";"), *self.waited(name, Array(type, self.members), 2)])

    def waited(self, name, type, count):
        """A barrier, statements that read a workgroup's global, a barrier."""
        mark = self.scope.mark()
        self.declare(name, type)
        own, self.scope.writes = self.scope.writes, dict(self.scope.writes)
        reads = [self.pulled(name, type, self.scope.reads) for _ in range(2)]
        made = self.statements(count, 1)
        self.scope.writes = own
        self.scope.release(mark)
        for place, of, _ in reads:
            self.declare(place, of)
        return [statement("workgroupBarrier();"), *[p for _, _, p in reads], statement("{\n", lines(made), "\n}"), statement("workgroupBarrier();")]

    def pulled(self, name, type, reads):
        """A local with a number of the global."""
        found = [(t, p) for t, paths in reads.items() for p in paths if p[0] == name]
        of, path = self.random.choice(found)
        local = self.fresh()
        return local, of, statement(f"imm {local} = ", self.place(path, of, 1), ";")

    def rounds(self):
        """The same over and over, all invocations as often."""
        r = self.random
        type = r.choice(DATA)
        name, sum, round = self.workgroup(Array(type, self.members)), self.fresh("m"), self.fresh("ix")
        self.declare(sum, type, True)
        start = statement(f"mut {sum} = ", (self.literal(type), 0), ";")
        before, self.budget = self.budget, 2
        mark = self.scope.mark()
        self.declare(round, "u32")
        body = [statement(f"{name}[here] = ", (self.value(type, 2), 0), ";"), *self.waited(name, Array(type, self.members), 1)]
        body.append(statement(f"{sum} = {sum} {r.choice('+-*')} ", (self.leaf(type), SUFFIX), ";"))
        self.scope.release(mark)
        self.budget = before
        return lines([start, statement(f"each {round} in 0u32 < {r.randint(1, 3)}u32 {{\n", lines(body), "\n}")])

    def counted(self):
        """Atomics of the workgroup's own."""
        r = self.random
        type, count = r.choice(["u32", "i32"]), r.randint(1, min(4, self.members))
        name = self.workgroup(f"Array[Atomic[{type}], {count}]")
        start = statement(f"if here < {count}usize {{ {name}[here].{r.choice(['store(', 'storeOrdered('])}", self.literal(type), "); }")
        if "Ordered" in start.kids[0]:
            start.kids[-1] = ", MemOrder.Relaxed); }"
        saved, self.atomics = self.atomics, [(name, count, type, r.choice(FAMILIES), "")]
        own, self.own_atomics = self.own_atomics, []
        mark = self.scope.mark()
        ops = [self.atomic() if r.random() < 0.6 else statement("if ", (self.truth(1), 0), " { ", self.atomic(), " }") for _ in range(r.randint(1, 3))]
        self.scope.release(mark)
        self.atomics, self.own_atomics = saved, own
        result = self.fresh()
        read = statement(f"imm {result} = {name}[", self.index(count), "].load();")
        self.declare(result, type)
        return lines([start, statement("workgroupBarrier();"), statement("{\n", lines(ops), "\n}"), statement("workgroupBarrier();"), read, statement("workgroupBarrier();")])

    def through_buffer(self):
        """What another invocation of the workgroup wrote to its element of a buffer."""
        r = self.random
        found = [o for o in self.owned if isinstance(o[1], str) and "own" not in o[2]]
        if self.size[1] > 1 or self.size[2] > 1 or self.groups[1] > 1 or self.groups[2] > 1 or not found:
            return self.exchange()
        name, type, place = r.choice(found)
        other, result = self.fresh("ux"), self.fresh()
        made = lines([statement(place + " = ", (self.value(type, 2), 0), ";"), statement("storageBarrier();"),
                      statement(f"imm {other} = usize.from(inv.groupId[0]) * {self.members}usize + (here + ", self.index(self.members), f") % {self.members}usize;"),
                      statement(f"imm {result} = {place.replace('[at', '[' + other)};"), statement("storageBarrier();")])
        self.declare(result, type)
        return made

    # ---- The whole ----

    def begin(self):
        r = self.random
        w, h = (f"inv.groupCount[{i}] * {self.size[i]}u32" for i in (0, 1))
        flat = "inv.globalId[0]"
        if self.size[1] > 1 or self.size[2] > 1 or self.groups[1] > 1 or self.groups[2] > 1:
            flat = f"(inv.globalId[2] * ({h}) + inv.globalId[1]) * ({w}) + inv.globalId[0]"
        self.prologue += [f"imm me = {flat};", "imm at = usize.from(me);", "imm here = usize.from(inv.localIndex);"]
        if self.program.places:
            where = r.choice(self.program.places)
            self.declare(where, "u32", False, [f"{where}(inv, {r.randint(0, 9)}u32)", ""])
        for name in ("me", "inv.localIndex", f"inv.globalId[{r.randrange(3)}]", f"inv.groupId[{r.randrange(3)}]", f"inv.localId[{r.randrange(3)}]", f"inv.groupCount[{r.randrange(3)}]"):
            self.declare(name, "u32", False, [name, ""])
        for name, type in self.program.privates:
            if r.random() < 0.5:
                self.declare(name, type, True)
                if self.grouped or r.random() < 0.5:
                    self.twin = False  # where it is all invocations' own
                else:
                    self.prologue.append(f"{name} = {random_literal(r, type)};")

    def make(self):
        r = self.random
        self.heads, self.prologue, self.owned, self.own_atomics = ["inv Invocation"], [], [], []
        self.begin()
        for _ in range(r.choice([0, 1, 1, 2])):
            self.read_buffer()
        for i in range(r.choice([1, 1, 2])):
            self.own_buffer(i == 0)
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            self.atomic_buffer()
        if r.random() < 0.25:
            self.atomic_struct_buffer()
        compact = self.compact() if r.random() < 0.12 and len(self.buffers) < 5 else []
        if any(s.data for s in self.program.structs) and r.random() < 0.5 and len(self.buffers) < 7:
            self.settings_parameter()
        r.shuffle(self.heads)
        body = [self.wide_number() for _ in range(r.choice([0, 0, 1, 2]))]
        if self.grouped:
            for _ in range(r.randint(1, 3)):
                body += self.statements(r.randint(1, 3), 2) + [self.phase()]
        self.fails, self.scope.returns = self.will_fail, []
        body += self.statements(r.randint(2, 7), 2) + compact
        last = [statement(self.final(name, type, place), " = ", (value, 0), ";") for name, type, place in self.owned if r.random() < 0.7
                for value in [self.value(type, 2)]]
        head = f"fn @compute({', '.join(str(s) for s in self.trimmed())}) {self.name}({', '.join(self.heads)}) {{\n" + "\n".join(self.prologue) + "\n"
        return Part("kernel", [head, lines(body), "\n", lines(last), "\n}"], name=self.name)

    def wide_number(self):
        """Of 64 bits, and no compiler knows any of them: two words of the data, most of the time."""
        type, name = self.random.choice(["u64", "i64"]), self.fresh("wide")
        kids = [f"imm {name} = ({type}.from(", (self.leaf("u32"), 0), f") << 32{type}) | {type}.from(", (self.leaf("u32"), 0), ");"]
        self.declare(name, type)
        return statement(*kids)

    def final(self, name, type, place):
        return place

    def trimmed(self):
        size = list(self.size)
        while len(size) > 1 and size[-1] == 1:
            size.pop()
        return size

    def compact(self):
        """Kept elements in places that an atomic hands out."""
        r = self.random
        type, name, count = r.choice(DATA), f"kept{len(self.buffers)}", f"count{len(self.buffers)}"
        self.buffers += [Buffer(name, type, self.total, self.words(type, self.total), True), Buffer(count, "u32", 1, [0], True)]
        self.buffers[-2].sorted = True
        self.heads += [f"{name} &mut Array[{type}]", f"{count} &mut Array[Atomic[u32]]"]
        add = r.choice([".add(1u32)", ".addOrdered(1u32, MemOrder.Relaxed)"])
        return [statement("if ", (self.truth(2), 0), f" {{ imm slot = {count}[0]{add}; {name}[usize.from(slot)] = ", (self.value(type, 2), 0), "; }")]

    # ---- How it is run ----

    def options(self, data):
        """data(buffer): what stands after `NAME=`."""
        words = ["--kernel", self.name, "--groups", ",".join(str(g) for g in self.groups)]
        for b in self.buffers:
            words += ["--buffer", f"{b.name}={data(b)}"]
        for s in self.settings:
            words += ["--set", s]
        return words

    def comments(self, more=""):
        """As utils/dev/run_dispatches reads them; more: options."""
        words = self.options(lambda b: "words:u:" + ",".join(str(w) for w in b.words) if b.words else f"zero:{b.type}:0")
        kept = [f"sorted {b.name}" for b in self.buffers if b.sorted] + (["any failure"] if self.will_fail else [])
        return "// run: " + more + shlex.join(words) + "\n" + (f"// compare: {'; '.join(kept)}\n" if kept else "")
