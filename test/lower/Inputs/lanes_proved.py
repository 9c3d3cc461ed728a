"""A random kernel in which nothing goes wrong where buffers have an element a thread: a group's lanes with phases between
barriers, in which shared memory is either each lane's own or read by all; locals and values that live across barriers,
conditions on ids and on what is loaded, loops of lanes and of groups, atomics. Usage: lanes_proved.py SEED"""
import random
import sys

GROUPS = ["8", "16", "64", "4, 2", "8, 4", "16, 2", "32, 2"]
OPS = {"h": ("atomic_add", "u32"), "m": ("atomic_max", "i32"), "l": ("atomic_min", "u32"), "b": ("atomic_xor", "i32")}


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.grouped = self.random.random() < 0.75
        self.group = self.random.choice(GROUPS)
        sizes = [int(n) for n in self.group.split(",")]
        self.lanes = sizes[0] * (sizes[1] if len(sizes) > 1 else 1)
        self.width, self.plane = sizes[0], len(sizes) > 1
        self.lines, self.count, self.depth, self.budget = [], 0, 1, 40
        self.own = {"s": True, "t": True}  # shared memory is each lane's own in this phase
        self.atomics = self.random.random() < 0.6

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, scope, kind, text):
        self.count += 1
        name = "%%v%d" % self.count
        self.line("%s = %s%s" % (name, text, " !%d:1" % (len(self.lines) + 1) if "_trap" in text else ""))
        if scope is not None:
            scope[kind].append(name)
        return name

    def pick(self, scope, kind):
        return self.random.choice(scope[kind])

    def number(self, scope, most):
        """An i64 in [0, most), a power of two."""
        mask = self.value(None, "i64", "const i64 %d" % (most - 1))
        return self.value(None, "i64", "band %s, %s" % (self.pick(scope, "i64"), mask))

    def pure(self, scope):
        r, pick = self.random.randrange(10), lambda kind: self.pick(scope, kind)
        if r < 3:
            self.value(scope, "i32", "%s %s, %s" % (self.random.choice(["iadd", "isub", "imul", "bxor"]), pick("i32"), pick("i32")))
        elif r < 5:
            self.value(scope, "f32", "%s %s, %s" % (self.random.choice(["fadd", "fmul", "fsub"]), pick("f32"), pick("f32")))
        elif r == 5:
            kind = self.random.choice(["i64", "i32", "f32"])
            self.value(scope, "bool", "%s %s, %s" % (self.random.choice(["lt", "ge", "eq", "le", "gt"]), pick(kind), pick(kind)))
        elif r == 6:
            x, y = self.number(scope, 64), self.number(scope, 16)
            self.value(scope, "i64", "%s %s, %s" % (self.random.choice(["iadd_trap", "isub_trap", "imul_trap"]), x, y))
        elif r == 7:
            one = self.value(None, "i64", "const i64 1")
            divisor = self.value(None, "i64", "iadd_trap %s, %s" % (self.number(scope, 8), one))
            self.value(scope, "i64", "%s %s, %s" % (self.random.choice(["idiv_trap", "irem_trap"]), pick("i64"), divisor))
        elif r == 8:
            self.value(scope, "i32", "convert i32 %s" % pick("i64"))
        else:
            kind = self.random.choice(["i64", "i32", "f32"])
            self.value(scope, kind, "select %s, %s, %s" % (pick("bool"), pick(kind), pick(kind)))

    def memory(self, scope):
        r = self.random.randrange(6)
        if r == 0 or not self.grouped:
            name, kind = self.random.choice([("x", "i32"), ("f", "f32")])
            i = self.random.choice(["%at", self.number(scope, 4)])
            self.line("check_index %s, %%n%s !%d:2" % (i, name, len(self.lines) + 1))
            self.value(scope, kind, "load %s[%s]" % (name, i))
            return
        name, kind = self.random.choice([("s", "i32"), ("t", "f32")])
        if self.own[name]:
            if r < 4:
                self.line("store %s[%%here], %s" % (name, self.pick(scope, kind)))
            else:
                self.value(scope, kind, "load %s[%%here]" % name)
        else:
            self.value(scope, kind, "load %s[%s]" % (name, self.number(scope, self.lanes)))

    def atomic(self, scope):
        if not self.atomics:
            return
        if self.grouped and self.random.random() < 0.4:
            self.value(None, "u32", "atomic_add workgroup relaxed bins[%s], %%one32" % self.number(scope, 8))
            return
        name = self.random.choice("hmlb")
        op, kind = OPS[name]
        i = self.random.choice(["%zero", self.number(scope, 4), "%at"])
        v = self.pick(scope, "i32")
        if kind == "u32":
            v = self.value(None, "u32", "convert u32 %s" % v)
        self.line("check_index %s, %%n%s !%d:3" % (i, name, len(self.lines) + 1))
        self.value(None, kind, "%s device relaxed %s[%s], %s" % (op, name, i, v))

    def local(self, scope):
        name, kind = self.random.choice([("n", "i64"), ("i", "i32"), ("r", "f32"), ("q", "bool")])
        if self.random.random() < 0.6:
            self.line("set %s, %s" % (name, self.pick(scope, kind)))
        else:
            self.value(scope, kind, "get %s" % name)

    def inner(self, scope, extra=None):
        copy = {kind: list(names) for kind, names in scope.items()}
        if extra:
            copy["i64"].append(extra)
        self.depth += 1
        for _ in range(self.random.randrange(1, 5)):
            self.statement(copy)
        self.depth -= 1

    def statement(self, scope):
        self.budget -= 1
        r = self.random.randrange(20)
        if self.budget > 0 and self.depth < 4 and r < 3:
            condition = self.pick(scope, "bool")
            if self.random.random() < 0.5:
                bound = self.number(scope, 16) if r else self.value(None, "i64", "const i64 %d" % self.random.randrange(1, 9))
                condition = self.value(None, "bool", "%s %%here, %s" % (self.random.choice(["lt", "ge", "eq"]), bound))
            self.line("if %s {" % condition)
            self.inner(scope)
            if self.random.random() < 0.4:
                self.line("} else {")
                self.inner(scope)
            self.line("}")
        elif self.budget > 0 and self.depth < 4 and r < 5:
            end = self.number(scope, 4)
            self.count += 1
            name = "%%k%d" % self.count
            self.line("for %s = %%zero, %s {" % (name, end))
            self.inner(scope, name)
            self.line("}")
        elif r < 9:
            self.memory(scope)
        elif r < 11:
            self.atomic(scope)
        elif r < 14:
            self.local(scope)
        else:
            self.pure(scope)

    def phase(self, scope):
        for _ in range(self.random.randrange(2, 7)):
            self.statement(scope)

    def barrier(self):
        self.line("barrier workgroup")
        for name in self.own:
            self.own[name] = self.random.random() < 0.5

    def together(self, scope):
        """A loop of the group, with a barrier in it and at its end, or a condition of the group."""
        copy = {kind: list(names) for kind, names in scope.items()}
        if self.random.random() < 0.6:
            self.line("for %%g%d = %%zero, %%rounds {" % len(self.lines))
            copy["i64"].append(self.lines[-1].split()[1])
        else:
            self.line("if %odd {")
        self.depth += 1
        self.barrier()
        self.phase(copy)
        self.barrier()
        self.own = {"s": True, "t": True}
        self.phase(copy)
        self.barrier()
        self.depth -= 1
        self.line("}")
        self.line("barrier workgroup")

    def text(self):
        head = ["kernel @random(k: i64, x: &[i32], f: &[f32], y: &mut [i32], z: &mut [f32], h: &mut [u32], m: &mut [i32],"
                " l: &mut [u32], b: &mut [i32])", "  group %s" % self.group]
        if self.grouped:
            head += ["  shared s: [%d x i32] zeroed" % self.lanes, "  shared t: [%d x f32] zeroed" % self.lanes,
                     "  shared bins: [8 x u32] zeroed"]
        head += ["  local n: i64", "  local i: i32", "  local r: f32", "  local q: bool", "{"]
        for text in ["%zero = const i64 0", "%one = const i64 1", "%three = const i64 3", "%one32 = const u32 1", "%g = global_id x",
                     "%k = parameter k", "%rounds = band %k, %three", "%odd = eq %rounds, %one"]:
            self.line(text)
        for name in "xfyzhmlb":
            self.line("%%n%s = length %s" % (name, name))
        i, j, at = "%g", "%zero", "%g"
        if self.grouped:
            self.line("%i = local_id x")
            i = "%i"
        if self.plane:
            for text in ["%w = grid_size x", "%gy = global_id y", "%j = local_id y", "%up = imul_trap %gy, %w !1:1",
                         "%at = iadd_trap %up, %g !1:2", "%%width = const i64 %d" % self.width, "%down = imul_trap %j, %width !1:3"]:
                self.line(text)
            self.line("%%here = iadd_trap %%down, %s !1:4" % i)
        else:
            self.line("%at = iadd_trap %g, %zero !1:2")
            self.line("%%here = iadd_trap %s, %%zero !1:4" % i)
        for name in "xyfzhmlb":
            self.line("check_index %%at, %%n%s !2:1" % name)
        scope = {"i64": ["%zero", "%one", "%three", "%here", "%rounds", "%g"], "i32": [], "f32": [], "bool": ["%odd"]}
        scope["i64"] += ["%j", "%gy"] if self.plane else []
        self.value(scope, "i32", "load x[%at]")
        self.value(scope, "f32", "load f[%at]")
        for text in ["set n, %rounds", "set i, " + scope["i32"][0], "set r, " + scope["f32"][0], "set q, %odd"]:
            self.line(text)
        for _ in range(self.random.randrange(1, 4)):
            self.phase(scope)
            if self.grouped:
                if self.random.random() < 0.5:
                    self.together(scope)
                else:
                    self.barrier()
        if self.grouped:
            self.line("barrier workgroup")
            self.value(scope, "i32", "load s[%here]")
            if self.atomics:
                eight = self.number(scope, 8)
                got = self.value(None, "u32", "load bins[%s]" % eight)
                self.value(scope, "i32", "convert i32 %s" % got)
        for kind in ["i32", "f32"]:
            local = self.value(None, kind, "get %s" % ("i" if kind == "i32" else "r"))
            op = "bxor" if kind == "i32" else "fadd"
            last = self.value(None, kind, "%s %s, %s" % (op, local, scope[kind][-1]))
            self.line("store %s[%%at], %s" % ("y" if kind == "i32" else "z", last))
        return "\n".join(head + self.lines + ["}"]) + "\n"


print(Kernel(int(sys.argv[1])).text())
