"""A random kernel whose threads record their failures and go on in lanes: 32-bit indices that wrap, structs, private and
shared memory, barriers, atomics, loops that threads leave one by one, returns, checks that fail now and then. Threads do
not depend on the order in which they run. Usage: recorded.py SEED"""
import random
import sys


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0
        self.depth = 1
        self.budget = 60
        self.loops = []
        self.grouped = self.random.random() < 0.5
        self.group = self.random.choice(["8", "32", "64", "16, 4", "4, 2, 2"] if self.grouped else
                                        ["1", "8", "64", "5", "8, 4", "3, 5"])
        self.axes = "xyz"[: self.group.count(",") + 1]
        self.atomic = self.random.choice(["add", "sub", "min", "max", "xor"])
        self.slots = self.random.random() < 0.4 and not self.grouped

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, text, scope=None, kind=None):
        self.count += 1
        place = " !%d:%d" % (len(self.lines) + 1, 1 + self.count % 9) if "_trap" in text else ""
        self.line("%%v%d = %s%s" % (self.count, text, place))
        if scope:
            scope[kind].append("%%v%d" % self.count)
        return "%%v%d" % self.count

    def pick(self, scope, kind):
        return self.random.choice(scope[kind][-6:] if self.random.random() < 0.6 else scope[kind])

    def check(self, text):
        self.line("%s !%d:%d" % (text, len(self.lines) + 1, 1 + self.count % 9))

    def number(self, scope):
        kind = self.random.choice(["u32", "u32", "i32", "f32"])
        if kind == "f32":
            op = self.random.choice(["fadd", "fsub", "fmul"])
        else:
            op = self.random.choice("iadd isub imul band bxor bor ishr ishl iadd iadd_trap isub_trap idiv irem".split())
            if self.random.random() < 0.1:
                op = self.random.choice(["imul_trap", "idiv_trap", "irem_trap"])
            elif op.endswith("trap") and self.random.random() < 0.6:
                op = "isub"
        self.value("%s %s, %s" % (op, self.pick(scope, kind), self.pick(scope, kind)), scope, kind)

    def truth(self, scope):
        kind = self.random.choice(["u32", "u32", "i32", "f32"])
        op = self.random.choice(["lt", "le", "eq", "ne", "gt", "ge"])
        v = self.value("%s %s, %s" % (op, self.pick(scope, kind), self.pick(scope, kind)), scope, "bool")
        if self.random.random() < 0.15:
            self.check("check panic %s" % v)

    def other(self, scope):
        r = self.random.randrange(6)
        if r == 0:
            self.value("convert i32 %s" % self.pick(scope, "u32"), scope, "i32")
        elif r == 1:
            self.value("convert u32 %s" % self.pick(scope, "i32"), scope, "u32")
        elif r == 2:
            self.value("convert f32 %s" % self.pick(scope, "i32"), scope, "f32")
        elif r == 3:
            self.value("convert_saturate u32 %s" % self.pick(scope, "f32"), scope, "u32")
        else:
            kind = self.random.choice(["u32", "i32", "f32"])
            self.value("select %s, %s, %s" % (self.pick(scope, "bool"), self.pick(scope, kind), self.pick(scope, kind)),
                       scope, kind)

    def index(self, scope, memory):
        """A checked index of what is only read, often within."""
        length = self.value("length %s" % memory)
        r = self.random.randrange(9)
        if r < 3:
            i = "%g"
        elif r < 5:
            i = self.value("%s %%g, %s" % (self.random.choice(["iadd", "isub"]), self.pick(scope, "u32")))
        elif r < 8:
            i = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 7")))
        else:
            i = self.pick(scope, "u32")
        if r in (3, 4, 8) and self.random.random() < 0.8:
            i = self.value("select %s, %s, %s" % (self.value("lt %s, %s" % (i, length)), i, self.value("const u32 0")))
        self.check("check_index %s, %s" % (i, length))
        return i

    def load(self, scope):
        r = self.random.randrange(6)
        if r == 0:
            self.value("load x[%s]" % self.index(scope, "x"), scope, "u32")
        elif r == 1:
            self.value("load s[%s].a" % self.index(scope, "s"), scope, "f32")
        elif r == 2:
            i = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 3")))
            self.value("load s[%s].w[%s]" % (self.index(scope, "s"), i), scope, "u32")
        elif r == 3:
            i = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 3")))
            self.value("load p[%s].%s" % (i, self.random.choice("cd")), scope, "u32")
        elif r == 4:
            self.value("load q.w[%s]" % self.value("const u32 %d" % self.random.randrange(4)), scope, "u32")
        else:
            length = self.value("length t")
            self.check("check_index %%g, %s" % length)
            self.value("load t[%g].a", scope, "f32")

    def store(self, scope):
        r = self.random.randrange(5)
        if r == 0:
            i = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 3")))
            self.line("store p[%s].%s, %s" % (i, self.random.choice("cd"), self.pick(scope, "u32")))
        elif r == 1 and self.grouped:
            self.line("store a[%%own], %s" % self.pick(scope, "u32"))
        elif r < 4:
            length = self.value("length t")
            self.check("check_index %%g, %s" % length)
            self.line("store t[%%g].a, %s" % self.pick(scope, "f32"))
        else:
            length = self.value("length y")
            self.check("check_index %%g, %s" % length)
            self.line("store y[%%g], %s" % self.pick(scope, "u32"))

    def local(self, scope):
        name, kind = self.random.choice([("n", "u32"), ("m", "i32"), ("r", "f32")])
        if self.random.random() < 0.5:
            self.line("set %s, %s" % (name, self.pick(scope, kind)))
        else:
            self.value("get %s" % name, scope, kind)

    def update(self, scope):
        """Atomics of one operation, whose order does not matter."""
        memory = "b" if self.grouped and self.random.random() < 0.5 else "h"
        if memory == "h":
            i = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 %d" % self.random.choice([0, 7]))))
            self.check("check_index %s, %s" % (i, self.value("length h")))
        else:
            i = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 7")))
        where = "workgroup" if memory == "b" else "device"
        self.value("atomic_%s %s relaxed %s[%s], %s" % (self.atomic, where, memory, i, self.pick(scope, "u32")))

    def block(self, scope, extra=None):
        inner = {kind: list(names) for kind, names in scope.items()}
        if extra:
            inner["u32"].append(extra)
        self.depth += 1
        for _ in range(self.random.randrange(1, 6)):
            self.statement(inner)
        r = self.random.randrange(10)
        if r == 0 and self.random.random() < 0.5:
            self.line("return")
        elif self.loops and r < 4 and self.depth > 2 and self.inner_if:
            self.line("%s %s" % (self.random.choice(["break", "continue"]), self.random.choice(self.loops)))
        self.depth -= 1

    def branch(self, scope):
        outer, self.inner_if = getattr(self, "inner_if", False), True
        self.line("if %s {" % self.pick(scope, "bool"))
        self.block(scope)
        if self.random.random() < 0.4:
            self.line("} else {")
            self.block(scope)
        self.line("}")
        self.inner_if = outer

    def rounds(self, scope):
        three = self.value("const u32 3")
        first = self.value("band %s, %s" % (self.pick(scope, "u32"), three)) if self.random.random() < 0.3 else "%zero"
        end = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 %d" % self.random.choice([3, 7]))))
        self.count += 1
        name = "%%i%d" % self.count
        outer, self.inner_if = getattr(self, "inner_if", False), False
        self.loops.append(name)
        self.line("for %s = %s, %s {" % (name, first, end))
        self.block(scope, name)
        self.line("}")
        self.loops.pop()
        self.inner_if = outer

    def counted(self, scope):
        self.count += 1
        name = "%%l%d" % self.count
        local = "c%d" % self.count
        self.locals.append(local)
        self.line("set %s, %%zero" % local)
        end = self.value("band %s, %s" % (self.pick(scope, "u32"), self.value("const u32 3")))
        self.line("loop %s {" % name)
        self.depth += 1
        now = self.value("get %s" % local)
        self.line("set %s, %s" % (local, self.value("iadd %s, %%one" % now)))
        self.line("if %s {" % self.value("ge %s, %s" % (now, end)))
        self.line("  break %s" % name)
        self.line("}")
        self.depth -= 1
        outer, self.inner_if = getattr(self, "inner_if", False), False
        self.loops.append(name)
        self.block(scope, now)
        self.loops.pop()
        self.inner_if = outer
        self.line("}")

    def statement(self, scope):
        self.budget -= 1
        r = self.random.randrange(24)
        if self.budget > 0 and self.depth < 5 and r < 6:
            self.random.choice([self.branch, self.branch, self.rounds, self.counted])(scope)
        elif r < 10:
            self.load(scope)
        elif r < 13:
            self.store(scope)
        elif r < 15:
            self.local(scope)
        elif r < 16:
            self.update(scope)
        elif r < 18:
            self.truth(scope)
        else:
            self.random.choice([self.number, self.number, self.other])(scope)

    def exchange(self, scope):
        """Reads what the next thread of the group has written, between barriers."""
        self.line("barrier workgroup")
        mask = self.value("const u32 %d" % (self.threads - 1))
        i = self.value("band %s, %s" % (self.value("iadd %own, %one"), mask))
        self.value("load a[%s]" % i, scope, "u32")
        self.line("barrier workgroup")

    def joint(self, scope):
        """A loop with a barrier in it."""
        self.count += 1
        name, local = "%%j%d" % self.count, "j%d" % self.count
        self.locals.append(local)
        self.line("set %s, %%one" % local)
        self.line("loop %s {" % name)
        self.depth += 1
        step = self.value("get %s" % local)
        self.line("if %s {" % self.value("ge %s, %s" % (step, self.value("const u32 8"))))
        self.line("  break %s" % name)
        self.line("}")
        inner = {kind: list(names) for kind, names in scope.items()}
        inner["u32"].append(step)
        self.line("store a[%%own], %s" % self.pick(inner, "u32"))
        self.exchange(inner)
        for _ in range(self.random.randrange(1, 6)):
            self.statement(inner)
        self.line("barrier workgroup")
        self.line("set %s, %s" % (local, self.value("iadd %s, %s" % (step, step))))
        self.depth -= 1
        self.line("}")

    def number_of_thread(self):
        """%g, and %own in its group."""
        sizes = [int(size) for size in self.group.split(",")]
        self.threads, own = 1, "%zero"
        for axis, size in reversed(list(zip("xyz", sizes))):
            self.threads *= size
            own = self.value("imul %s, %s" % (own, self.value("const u32 %d" % size)))
            own = self.value("iadd %s, %s" % (own, self.value("local_id " + axis)))
        self.line("%%own = bor %s, %%zero" % own)
        g = "%zero"
        for axis in reversed(self.axes):
            g = self.value("imul %s, %s" % (g, self.value("grid_size " + axis)))
            g = self.value("iadd %s, %s" % (g, self.value("global_id " + axis)))
        if self.axes == "x":
            self.line("%g = global_id x")
        else:
            self.line("%%g = bor %s, %%zero" % g)

    def text(self):
        self.locals = []
        self.line("%zero = const u32 0")
        self.line("%one = const u32 1")
        self.number_of_thread()
        self.line("%k = parameter k")
        scope = {"u32": ["%g", "%own", "%k", "%one"], "i32": [], "f32": [], "bool": []}
        self.value("group_id x", scope, "u32")
        self.value("local_id x", scope, "u32")
        self.value("const i32 -3", scope, "i32")
        self.value("const f32 0.5", scope, "f32")
        self.line("set n, %k")
        self.line("set m, %s" % scope["i32"][0])
        self.line("set r, %s" % scope["f32"][0])
        self.load(scope)
        self.truth(scope)
        for _ in range(14):
            self.statement(scope)
            if self.grouped and self.random.random() < 0.25:
                self.random.choice([self.exchange, self.joint])(scope)
        if self.slots:
            # Slots in the order of threads.
            self.line("if %s {" % self.pick(scope, "bool"))
            self.check("  check_index %%zero, %s" % self.value("length c"))
            slot = self.value("atomic_add device acq_rel c[%zero].value, %one")
            self.check("  check_index %s, %s" % (slot, self.value("length o")))
            self.line("  store o[%s], %s" % (slot, self.pick(scope, "u32")))
            self.line("}")
        self.check("check_index %%g, %s" % self.value("length y"))
        self.line("store y[%%g], %s" % self.pick(scope, "u32"))
        header = ["struct item { a: f32, w: [4 x u32] }", "struct pair { c: u32, d: u32 }", "struct atom { value: u32 }",
                  "", "kernel @random(k: u32, x: &[u32], s: &[item], q: item, t: &mut [item], y: &mut [u32], "
                  "h: &mut [u32], c: &mut [atom], o: &mut [u32])",
                  "  policy record", "  index u32", "  group " + self.group]
        if self.grouped:
            header += ["  shared a: [%d x u32] zeroed" % self.threads, "  shared b: [8 x u32] zeroed"]
        header += ["  private p: [4 x pair]%s" % self.random.choice(
            ["", " = bytes \"%s\"" % "".join("%02x000000" % n for n in range(1, 9))])]
        header += ["  local n: u32", "  local m: i32", "  local r: f32"]
        header += ["  local %s: u32" % name for name in self.locals]
        end = []
        if self.grouped:
            end = ["  barrier workgroup", "  cut"]
        return "\n".join(header + ["{"] + self.lines + end + ["}", ""])


print(Kernel(int(sys.argv[1])).text())
