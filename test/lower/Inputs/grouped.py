"""A random grouped kernel: shared and private memory, locals, barriers and cuts in nested control, checks that fail now
and then, lanes that return. Every access is checked. With `device`, threads do not depend on the order in which they
run, and control around a barrier is the same for a group. Usage: grouped.py SEED [device]"""
import random
import sys

GROUPS = ["1", "2", "8", "32", "4, 2", "3, 5", "2, 1, 3", "1, 4", "16, 4"]


class Kernel:
    def __init__(self, seed, device):
        self.random = random.Random(seed)
        self.device = device
        self.lines = []
        self.count = 0
        self.depth = 1
        self.column = 0
        self.record = self.random.random() < (0.7 if device else 0.3)
        self.group = self.random.choice(GROUPS)
        self.axes = "xyz"[: self.group.count(",") + 1]
        self.returns = self.random.random() < 0.4
        self.loops = []  # (name, lockstep) of the loops around

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, text):
        self.count += 1
        self.line("%%v%d = %s" % (self.count, text))
        return "%%v%d" % self.count

    def place(self):
        self.column += 1
        return "!%d:%d" % (len(self.lines) + 1, self.column)

    def pick(self, scope, kind):
        return self.random.choice(scope[kind])

    # Values that are the same for a group half of the time.
    def integer(self, scope):
        r = self.random.randrange(12)
        if r == 5 and self.device:
            r = 0  # fewer failures
        if r == 0:
            v = self.value("const i64 %d" % self.random.randrange(9))
        elif r == 1:
            v = self.value("local_id %s" % self.random.choice(self.axes))
        elif r == 2:
            v = self.value("group_id %s" % self.random.choice(self.axes))
        elif r == 3:
            v = self.value("get n")
        elif r == 4:
            v = self.value("get m")
        elif r == 5:
            v = self.value("idiv_trap %s, %s %s" % (self.pick(scope, "i64"), self.pick(scope, "i64"), self.place()))
        elif r == 6:
            i = self.pick(scope, "i32")
            v = self.value("convert i64 %s" % i)
        elif r == 7:
            v = self.value(
                "select %s, %s, %s" % (self.pick(scope, "bool"), self.pick(scope, "i64"), self.pick(scope, "i64"))
            )
        else:
            ops = ["iadd", "isub", "imul", "band", "bxor", "ishr", "iadd_trap", "imul_trap"]
            op = self.random.choice(ops[: 6 if self.device else 8])
            at = self.place() if op.endswith("trap") else ""
            v = self.value("%s %s, %s %s" % (op, self.pick(scope, "i64"), self.pick(scope, "i64"), at))
        scope["i64"].append(v)
        return v

    def truth(self, scope):
        op = self.random.choice(["lt", "le", "eq", "ne", "gt"])
        kind = self.random.choice(["i64", "i32", "f32"])
        v = self.value("%s %s, %s" % (op, self.pick(scope, kind), self.pick(scope, kind)))
        scope["bool"].append(v)
        return v

    def small(self, scope, mask):
        m = self.value("const i64 %d" % mask)
        return self.value("band %s, %s" % (self.pick(scope, "i64"), m))

    def element(self, scope):
        """A memory of i32 and a checked index."""
        choices = [("a", 15), ("a", 15), ("b", 7), ("p", 3), ("x", -1), ("y", -1), ("y", -1)]
        if self.device:
            choices = [("a", -2), ("a", -2), ("p", 3), ("x", -1), ("y", -1)]
        memory, index = self.random.choice(choices)
        if index >= 0:
            i = self.small(scope, index)
        elif index == -2:
            i = "%own"
        elif self.random.random() < 0.3 and not (self.device and memory == "y"):
            i = self.small(scope, 15)
        else:
            i = "%g"
        n = self.value("length " + memory)
        self.line("check_index %s, %s %s" % (i, n, self.place()))
        return memory, i

    def number(self, scope):
        if self.random.random() < 0.6:
            memory, i = self.element(scope)
            v = self.value("load %s[%s]" % (memory, i))
        else:
            r = self.random.choice(["get s", "iadd", "isub", "bxor"])
            if r == "get s":
                v = self.value(r)
            else:
                v = self.value("%s %s, %s" % (r, self.pick(scope, "i32"), self.pick(scope, "i32")))
        scope["i32"].append(v)

    def real(self, scope):
        r = self.random.randrange(4)
        if r == 0:
            v = self.value("convert f32 %s" % self.pick(scope, "i32"))
        elif r == 1:
            v = self.value("get f")
        elif r == 2 and not self.device:
            i = self.small(scope, 3)
            v = self.value("load r[%s]" % i)
        else:
            v = self.value("fadd %s, %s" % (self.pick(scope, "f32"), self.pick(scope, "f32")))
        scope["f32"].append(v)

    def effect(self, scope):
        r = self.random.randrange(6 if self.device else 9)
        if r < 3:
            memory, i = self.element(scope)
            if memory != "x":
                self.line("store %s[%s], %s" % (memory, i, self.pick(scope, "i32")))
        elif r == 3:
            self.line("set n, %s" % self.pick(scope, "i64"))
        elif r == 4:
            self.line("set s, %s" % self.pick(scope, "i32"))
        elif r == 5:
            self.line("set f, %s" % self.pick(scope, "f32"))
        elif r == 6:
            i = self.small(scope, 3)
            self.line("store r[%s], %s" % (i, self.pick(scope, "f32")))
        elif r == 7:
            op = self.random.choice(["add", "min", "max", "sub", "xor"])
            i = self.small(scope, 7)
            scope["i32"].append(
                self.value("atomic_%s workgroup relaxed b[%s], %s" % (op, i, self.pick(scope, "i32")))
            )
        else:
            i = self.small(scope, 3)
            scope["f32"].append(self.value("atomic_add workgroup relaxed r[%s], %s" % (i, self.pick(scope, "f32"))))

    def inside(self, scope, size, lockstep, text, other=False):
        inner = {kind: list(values) for kind, values in scope.items()}
        self.line(text + " {")
        self.depth += 1
        self.statements(inner, size, lockstep)
        if lockstep == 2:
            self.line("barrier workgroup")
            self.statements(inner, size, 1)
        self.depth -= 1
        if other:
            self.line("} else {")
            self.depth += 1
            self.statements({kind: list(values) for kind, values in scope.items()}, size, lockstep != 0)
            self.depth -= 1
        self.line("}")

    def steps(self, scope, joint):
        """A bound of a loop: few rounds."""
        return self.value("band %s, %s" % (self.choice_of(scope, "i64", joint), self.value("const i64 3")))

    def choice_of(self, scope, kind, joint):
        """A value, the same for a group where control needs that."""
        return self.pick(scope, "same " + kind if joint and self.device else kind)

    def exchange(self, scope):
        """Reads what the next thread of the group has written, between barriers."""
        self.line("barrier workgroup")
        i = self.value("iadd %%own, %s" % self.value("const i64 1"))
        last = self.value("ge %s, %s" % (i, self.value("const i64 %d" % self.threads)))
        i = self.value("select %s, %s, %s" % (last, self.value("const i64 0"), i))
        scope["i32"].append(self.value("load a[%s]" % i))
        add = self.value("band %%own, %s" % self.value("const i64 7"))
        self.value("atomic_add workgroup relaxed b[%s], %s" % (add, self.pick(scope, "i32")))
        self.line("barrier workgroup")

    def alike(self, scope):
        """Values that are the same for a group."""
        v = self.value(self.random.choice(["get m", "group_id x", "parameter k", "const i64 2"]))
        op = self.random.choice(["iadd", "imul_trap", "idiv_trap", "isub", "bxor"])
        at = self.place() if op.endswith("trap") else ""
        w = self.value("%s %s, %s %s" % (op, v, self.pick(scope, "same i64"), at))
        scope["same i64"].append(w)
        test = self.random.choice(["lt", "ne", "ge"])
        scope["same bool"].append(self.value("%s %s, %s" % (test, w, self.pick(scope, "same i64"))))

    def control(self, scope, size, lockstep):
        r = self.random.randrange(4)
        joint = 2 if lockstep and self.random.random() < 0.7 else 0
        if r < 2:
            self.inside(scope, size, joint, "if %s" % self.choice_of(scope, "bool", joint), r == 0)
            return
        name = "l%d" % self.count
        self.count += 1
        self.loops.append((name, joint))
        if r == 2:
            first, end = self.value("const i64 0"), self.steps(scope, joint)
            inner = {kind: list(values) for kind, values in scope.items()}
            inner["i64"].append("%" + name)
            if joint:
                inner["same i64"].append("%" + name)
            self.inside(inner, size, joint, "for %%%s = %s, %s" % (name, first, end))
        else:
            self.counted(scope, size, joint, name)
        self.loops.pop()

    def counted(self, scope, size, joint, name):
        """A loop whose count is a local of its own."""
        self.locals.append("c" + name)
        self.line("set c%s, %s" % (name, self.value("const i32 0")))
        self.line("loop %%%s {" % name)
        self.depth += 1
        inner = {kind: list(values) for kind, values in scope.items()}
        count = self.value("get c" + name)
        one, three = self.value("const i32 1"), self.value("const i32 3")
        self.line("set c%s, %s" % (name, self.value("iadd %s, %s" % (count, one))))
        end = self.value("ge %s, %s" % (count, three))
        self.line("if %s {" % end)
        self.line("  break %%%s" % name)
        self.line("}")
        if joint and self.random.random() < 0.5:
            self.line("cut")
        self.statements(inner, size, joint != 0)
        if joint:
            self.line("barrier storage")
            self.statements(inner, size, True)
            if self.random.random() < 0.3:
                self.line("if %s {" % self.choice_of(inner, "bool", True))
                self.line("  %s %%%s" % (self.random.choice(["break", "continue"]), name))
                self.line("}")
        self.depth -= 1
        self.line("}")

    def statements(self, scope, size, lockstep):
        for _ in range(self.random.randrange(1, size + 1)):
            for _ in range(self.random.randrange(1, 4)):
                self.random.choice([self.integer, self.integer, self.truth, self.number, self.real])(scope)
            self.effect(scope)
            if lockstep and self.random.random() < 0.5:
                self.line(self.random.choice(["cut", "cut", "barrier workgroup"]))
            if lockstep and self.device:
                self.alike(scope)
                if self.random.random() < 0.6:
                    self.exchange(scope)
            elif lockstep and self.random.random() < 0.3:
                self.guarded(scope)
            if self.depth < 4 and self.random.random() < 0.5:
                self.control(scope, max(1, size - 1), lockstep)
            if self.returns and self.depth == 1 and self.random.random() < 0.2:
                self.line("if %s {" % self.pick(scope, "bool"))
                self.line("  return")
                self.line("}")

    def guarded(self, scope):
        """A statement for some lanes, those that compare so with a bound that is often the same for all."""
        bound = self.value(self.random.choice(["const i64 %d" % self.random.randrange(-1, 9), "get m", "parameter k"]))
        self.line("cut")
        lane = self.value("local_id %s" % self.random.choice(self.axes))
        sides = [lane, bound] if self.random.random() < 0.7 else [bound, lane]
        test = self.value("%s %s, %s" % (self.random.choice(["lt", "le", "gt", "ge", "eq", "ne"]), *sides))
        inner = {kind: list(values) for kind, values in scope.items()}
        inner["bool"].append(test)
        self.line("if %s {" % test)
        self.depth += 1
        self.number(inner)
        self.effect(inner)
        self.depth -= 1
        self.line("}")
        self.line("cut")

    def uniform(self, scope):
        """Sets m, which stays the same for a group."""
        v = self.value("group_id x")
        k = self.value("parameter k")
        self.line("set m, %s" % self.value("iadd %s, %s" % (v, k)))

    def text(self):
        self.locals = []
        scope = {"i64": [], "i32": [], "f32": [], "bool": [], "same i64": [], "same bool": []}
        sizes = [int(size) for size in self.group.split(",")]
        self.threads = 1
        own = self.value("const i64 0")
        for axis, size in reversed(list(zip("xyz", sizes))):
            self.threads *= size
            own = self.value("imul %s, %s" % (own, self.value("const i64 %d" % size)))
            own = self.value("iadd %s, %s" % (own, self.value("local_id " + axis)))
        self.line("%%own = iadd %s, %s" % (own, self.value("const i64 0")))
        scope["same i64"] += [self.value("parameter k"), self.value("group_id x")]
        scope["same bool"].append(self.value("lt %s, %s" % tuple(scope["same i64"])))
        if self.axes == "x":
            self.line("%g = global_id x")
        else:
            w = self.value("grid_size x")
            x, y = self.value("global_id x"), self.value("global_id y")
            if self.axes == "xyz":
                z, h = self.value("global_id z"), self.value("grid_size y")
                y = self.value("iadd %s, %s" % (self.value("imul %s, %s" % (z, h)), y))
            self.line("%%g = iadd %s, %s" % (self.value("imul %s, %s" % (y, w)), x))
        scope["i64"] += ["%g", self.value("parameter k"), self.value("local_id x"), self.value("const i64 1")]
        scope["i32"] += [self.value("const i32 %d" % n) for n in (0, 5)]
        scope["f32"] += [self.value("const f32 %s" % n) for n in ("0.5", "3")]
        self.truth(scope)
        self.line("set n, %g")
        self.line("set s, %s" % scope["i32"][0])
        self.line("set f, %s" % scope["f32"][0])
        self.uniform(scope)
        self.statements(scope, 4 if self.device else 5, True)
        result = self.pick(scope, "i32")
        if self.device:
            self.line("barrier workgroup")
            add = self.value("band %%own, %s" % self.value("const i64 7"))
            result = self.value("bxor %s, %s" % (result, self.value("load b[%s]" % add)))
        n = self.value("length y")
        self.line("check_index %%g, %s %s" % (n, self.place()))
        self.line("store y[%%g], %s" % result)
        header = ["kernel @random(k: i64, x: &[i32], y: &mut [i32])"]
        header += ["  policy record"] if self.record else []
        header += ["  group " + self.group]
        header += ["  shared a: [64 x i32] zeroed", "  shared b: [8 x i32] zeroed", "  shared r: [4 x f32] zeroed"]
        header += ["  private p: [4 x i32] = bytes \"01000000020000000300000004000000\""]
        header += ["  local n: i64", "  local m: i64", "  local s: i32", "  local f: f32"]
        header += ["  local %s: i32" % name for name in self.locals]
        return "\n".join(header + ["{"] + self.lines + ["}", ""])


print(Kernel(int(sys.argv[1]), sys.argv[2:] == ["device"]).text())
