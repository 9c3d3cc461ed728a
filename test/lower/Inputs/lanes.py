"""Random kernels whose threads can run in lanes: loops and branches inside one another, bounds and conditions of a row's
threads alike or not, indices that follow the thread's number or not, checks that fail now and then. Usage: lanes.py SEED"""
import random
import sys


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0
        self.depth = 1
        self.budget = 45

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, scope, kind, text):
        self.count += 1
        place = " !%d:%d" % (len(self.lines) + 1, 1 + self.count % 9) if "_trap" in text else ""
        self.line("%%v%d = %s%s" % (self.count, text, place))
        scope[kind].append("%%v%d" % self.count)
        return scope[kind][-1]

    def pick(self, scope, kind):
        return self.random.choice(scope[kind])

    def check(self, text):
        self.line("%s !%d:%d" % (text, len(self.lines) + 1, 1 + self.count % 9))

    def integer(self, scope):
        kind = self.random.choice(["i64", "i64", "i32"])
        op = self.random.choice("iadd_trap iadd_trap isub_trap iadd isub imul band bxor ishr imul_trap idiv_trap irem_trap".split())
        if op in ("imul_trap", "idiv_trap", "irem_trap") and self.random.random() < 0.6:
            op = "iadd_trap"
        self.value(scope, kind, "%s %s, %s" % (op, self.pick(scope, kind), self.pick(scope, kind)))

    def number(self, scope):
        op = self.random.choice(["fadd", "fsub", "fmul", "fdiv"])
        self.value(scope, "f32", "%s %s, %s" % (op, self.pick(scope, "f32"), self.pick(scope, "f32")))

    def other(self, scope):
        r = self.random.randrange(6)
        if r == 0:
            self.value(scope, "i64", "convert i64 %s" % self.pick(scope, "i32"))
        elif r == 1:
            self.value(scope, "i32", "convert i32 %s" % self.pick(scope, "i64"))
        elif r == 2:
            self.value(scope, "f32", "convert f32 %s" % self.pick(scope, "i32"))
        elif r == 3:
            kind = self.random.choice(["i64", "i32", "f32"])
            texts = (self.pick(scope, "bool"), self.pick(scope, kind), self.pick(scope, kind))
            self.value(scope, kind, "select %s, %s, %s" % texts)
        elif r == 4:
            self.value(scope, "i32", "convert_trap i32 %s" % self.pick(scope, "i64"))
        else:
            kind = self.random.choice(["i64", "i32", "f32"])
            op = self.random.choice(["lt", "le", "eq", "ne", "gt"])
            self.value(scope, "bool", "%s %s, %s" % (op, self.pick(scope, kind), self.pick(scope, kind)))

    def index(self, scope, memory):
        """A checked index, in bounds or not."""
        r = self.random.randrange(8)
        length = self.value(scope, "i64", "length %s" % memory)
        if r < 3:
            i = "%g"
        elif r < 5:
            i = self.value(scope, "i64", "iadd_trap %%g, %s" % self.pick(scope, "i64"))
        elif r < 7:
            mask = self.value(scope, "i64", "const i64 %d" % self.random.choice([1, 3, 7]))
            i = self.value(scope, "i64", "band %s, %s" % (self.pick(scope, "i64"), mask))
        else:
            i = self.pick(scope, "i64")
        if r in (3, 4, 5, 7) and self.random.random() < 0.7:
            # Only if it is within, so that not every thread fails.
            low = self.value(scope, "bool", "ge %s, %%zero" % i)
            high = self.value(scope, "bool", "lt %s, %s" % (i, length))
            within = self.value(scope, "bool", "band %s, %s" % (low, high))
            i = self.value(scope, "i64", "select %s, %s, %%zero" % (within, i))
        self.check("check_index %s, %s" % (i, length))
        return i

    def load(self, scope):
        memory, kind = self.random.choice([("x", "i32"), ("f", "f32"), ("s", "i64"), ("t", "i32")])
        if memory == "t":
            mask = self.value(scope, "i64", "const i64 3")
            i = self.value(scope, "i64", "band %s, %s" % (self.pick(scope, "i64"), mask))
            self.value(scope, "i32", "load t[%s]" % i)
        elif memory == "s":
            self.value(scope, "i64", "load s[%s].b" % self.index(scope, "s"))
        else:
            self.value(scope, kind, "load %s[%s]" % (memory, self.index(scope, memory)))

    def local(self, scope):
        name, kind = self.random.choice([("n", "i64"), ("m", "i32"), ("r", "f32")])
        if self.random.random() < 0.6:
            self.line("set %s, %s" % (name, self.pick(scope, kind)))
        else:
            self.value(scope, kind, "get %s" % name)

    def store(self, scope):
        memory, kind = self.random.choice([("y", "i32"), ("z", "f32")])
        length = self.value(scope, "i64", "length %s" % memory)
        self.check("check_index %%g, %s" % length)
        self.line("store %s[%%g], %s" % (memory, self.pick(scope, kind)))

    def inner(self, scope, extra=None):
        copy = {kind: list(names) for kind, names in scope.items()}
        if extra:
            copy["i64"].append(extra)
        self.depth += 1
        for _ in range(self.random.randrange(1, 6)):
            self.statement(copy)
        self.depth -= 1

    def branch(self, scope):
        self.line("if %s {" % self.pick(scope, "bool"))
        self.inner(scope)
        if self.random.random() < 0.5:
            self.line("} else {")
            self.inner(scope)
        self.line("}")

    def rounds(self, scope):
        mask = self.value(scope, "i64", "const i64 %d" % self.random.choice([3, 7]))
        end = self.value(scope, "i64", "band %s, %s" % (self.pick(scope, "i64"), mask))
        first = self.random.choice(["%zero", "%one", "%k64"])
        if first == "%k64":
            first = self.value(scope, "i64", "band %%k64, %s" % mask)
        self.count += 1
        name = "%%i%d" % self.count
        self.line("for %s = %s, %s {" % (name, first, end))
        self.inner(scope, name)
        self.line("}")

    def statement(self, scope):
        self.budget -= 1
        r = self.random.randrange(20)
        if self.budget > 0 and self.depth < 5 and r < 5:
            (self.branch if r < 3 else self.rounds)(scope)
        elif r < 9:
            self.load(scope)
        elif r < 12:
            self.local(scope)
        elif r < 13:
            self.store(scope)
        else:
            self.random.choice([self.integer, self.integer, self.number, self.other])(scope)

    def text(self):
        axes = self.random.choice(["64", "64", "8, 4"])
        head = ["struct pair { a: i32, b: i64 }", "",
                "kernel @random(k: i32, x: &[i32], f: &[f32], s: &[pair], y: &mut [i32], z: &mut [f32])",
                "  group %s" % axes, "  local n: i64", "  local m: i32", "  local r: f32",
                "  table t: [4 x i32] = bytes \"05000000feffffff0000000003000000\"", "{"]
        self.line("%g = global_id x")
        self.line("%zero = const i64 0")
        self.line("%one = const i64 1")
        self.line("%k = parameter k")
        self.line("%k64 = convert i64 %k")
        self.line("%half = const f32 0.5")
        self.line("%yes = lt %g, %k64")
        self.line("set n, %k64")
        self.line("set m, %k")
        self.line("set r, %half")
        scope = {"i64": ["%g", "%g", "%k64", "%one"], "i32": ["%k"], "f32": ["%half"], "bool": ["%yes"]}
        if axes != "64":
            self.line("%h = global_id y")
            scope["i64"].append("%h")
        self.rounds(scope)
        for _ in range(12):
            self.statement(scope)
        self.store(scope)
        self.store(scope)
        return "\n".join(head + self.lines + ["}", ""])


print(Kernel(int(sys.argv[1])).text())
