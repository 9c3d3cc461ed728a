"""usage: random_launches.py SSPUR FOLDER FIRST COUNT SECONDS DEVICE...

Programs of random launches over shared buffers, one a seed from FIRST on, on each device against interp: every byte of
the output, every trap. `SEED` in a device's name is the seed: fault:SEED:seq. The kernels are the same in all programs, so
that their code comes from the cache. Stops after SECONDS. Files that differ stay in the folder.
"""
import os
import random
import subprocess
import sys
import time

TESTS = 20  # programs a file, a seed each

KERNELS = """\
kernel fn axpy(a: F32, x: &[F32], y: &mut [F32]) @grid(y.len, 8)
= y[gid] := a * x[(gid + 3) % x.len] + y[gid]

kernel fn scale(a: F32, y: &mut [F32]) @grid(y.len, 8)
= y[gid] := y[gid] * a

kernel fn divide(x: &[F64], y: &mut [F64]) @grid(y.len, 8)
= y[gid] := y[gid] / (x[gid % x.len] - 3.0) + 1.0

kernel fn mix(k: Int, x: &[Int], y: &mut [Int]) @grid(y.len, 8)
= y[gid] := (x[(gid * 3 + k) % x.len] * 7 + y[gid] * 5 + k) % 1009

kernel fn clamp_all(y: &mut [Int]) @grid(y.len, 8)
= y[gid] := y[gid] % 100000 * (y[gid] % 100000) % 4096

kernel fn pick(at: Int, x: &[Int], y: &mut [Int]) @grid(y.len, 8)
= y[gid] := x[gid + at]

kernel fn quotient(k: Int, x: &[Int], y: &mut [Int]) @grid(y.len, 8)
= y[gid] := 100000 / (x[gid % x.len] - k) + gid

kernel fn grow(k: Int, y: &mut [Int]) @grid(y.len, 8)
= y[gid] := y[gid] * k

kernel fn twice(k: Int, y: &mut [Int]) @grid(y.len, 8)
= do
  y[gid] := y[gid] + 1
  y[gid] := y[gid] + 5000 / (y[gid] - k)

kernel fn narrow(x: &[Int], y: &mut [U32]) @grid(y.len, 8)
= y[gid] := (x[gid % x.len] + y[gid].to_int).to_u32

kernel fn histogram(x: &[Int], h: &mut [U32]) @grid(x.len, 8)
= h.atomic_add(x[gid] % h.len, 1)

kernel fn indexed(x: &[Int], at: Int, h: &mut [U32]) @grid(x.len, 8)
= h.atomic_max(x[gid] - at, 7)

kernel fn sums(x: &[Int], n: Int, y: &mut [Int]) @grid(n, 8)
= do
  tile = shared[Int](8)
  tile[lid] := x[gid % x.len]
  barrier()
  var s = 0
  for i in 0..8
    s := s + tile[i] * (i + 1)
  barrier()
  y[gid] := s % 4099

kernel fn tree(x: &[F32], y: &mut [F32]) @grid(y.len * 8, 8)
= do
  tile = shared[F32](8)
  tile[lid] := x[gid % x.len]
  barrier()
  for k in 0..3
    s = 1.shl(2 - k)
    if lid < s then tile[lid] := tile[lid] + tile[lid + s]
    barrier()
  if lid == 0 then y[group_id] := tile[0]

kernel fn cells(k: Int, x: &[Int], w: Int, h: Int, y: &mut [Int]) @grid2(w, h, 4, 2)
= y[gid.y * w + gid.x] := x[(gid.x * h + gid.y) % x.len] + k
"""

# Buffers of a program: name, type, elements.
BUFFERS = [("f0", "f32", 40), ("f1", "f32", 17), ("f2", "f32", 8), ("d0", "f64", 24), ("d1", "f64", 33), ("i0", "int", 48),
           ("i1", "int", 32), ("i2", "int", 19), ("i3", "int", 64), ("u0", "u32", 16), ("u1", "u32", 5)]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.risk = self.random.choice([0, 8, 3])  # one launch in so many may trap; 0: none

    def of(self, kind):
        return self.random.choice([b for b in BUFFERS if b[1] == kind])

    def two(self, kind):
        """One to read and another to write, by name and size."""
        x, y = self.of(kind), self.of(kind)
        while y == x:
            y = self.of(kind)
        return x, y

    def risky(self):
        return self.risk and self.random.randrange(self.risk) == 0

    def real(self):
        return self.random.choice(["0.5", "-1.25", "1.0e-20", "3.0e12", "1.0e-38", "0.0", "-0.0", "0.1", "7.0"])

    def launch(self):
        """Lines of a program."""
        r = self.random
        kind = r.randrange(15)
        x, y = self.two("int")
        f, g = self.two("f32")
        mix = f"mix({r.randrange(100)}, &{x[0]}, &mut {y[0]})"
        if kind == 0:
            return [f"axpy({self.real()}, &{f[0]}, &mut {g[0]})"]
        if kind == 1:
            return [f"scale({self.real()}, &mut {f[0]})"]
        if kind == 2:
            a, b = self.two("f64")
            return [f"divide(&{a[0]}, &mut {b[0]})"]
        if kind == 3 and (x[2] >= y[2] or self.risky()):
            at = r.randrange(max(x[2] - y[2], 0) + 1) + (r.randrange(1, 9) if self.risky() else 0)
            return [f"pick({at}, &{x[0]}, &mut {y[0]})"]
        if kind == 4:
            return [f"quotient({r.randrange(101) if self.risky() else -1}, &{x[0]}, &mut {y[0]})"]
        if kind == 5:
            return [f"grow({4611686018427387904 if self.risky() else r.choice([2, -3, 1000])}, &mut {y[0]})", mix]
        if kind == 6:
            return [f"twice({r.randrange(101) if self.risky() else 2000000}, &mut {y[0]})", mix]
        if kind == 7:
            return [mix, f"narrow(&{y[0]}, &mut {self.of('u32')[0]})"] if self.risk else [mix]
        if kind == 8:
            return [f"clamp_all(&mut {x[0]})", f"histogram(&{x[0]}, &mut {self.of('u32')[0]})"]
        if kind == 9 and self.risky():
            return [f"indexed(&{x[0]}, {r.randrange(900)}, &mut u0)"]
        if kind == 10:
            return [f"sums(&{x[0]}, {y[2] // 8 * 8}, &mut {y[0]})"]
        if kind == 11:
            return [f"tree(&{f[0]}, &mut {g[0]})"]
        if kind == 12:
            w = r.choice([4, 8])
            return [f"cells({r.randrange(9)}, &{x[0]}, {w}, {y[2] // w // 2 * 2}, &mut {y[0]})"]
        if kind == 13 and self.risky():
            return [f"same = {y[0]}", f"mix(1, &same, &mut {y[0]})"]
        return [mix]

    def step(self):
        kind = self.random.randrange(24)
        if kind == 0:
            return "gpu_sync()"
        if kind <= 2:
            return f'log("{{{self.random.choice(BUFFERS)[0]}.to_list}}")'
        if kind == 3:
            name, _, _ = self.random.choice(BUFFERS)
            return f'log("{name} {{{name}.len}}")'
        if kind <= 5:
            body = [line for _ in range(self.random.randrange(1, 4)) for line in self.launch()]
            return "\n    ".join([f"for r in 0..{self.random.choice([2, 5, 30, 90, 140])}"] + body)
        return "\n  ".join(self.launch())

    def text(self, name):
        lines = []
        for buffer, kind, size in BUFFERS:
            value = {"f32": f"(i % 9).to_f64 * {self.real()}", "f64": "(i * 5 % 11).to_f64"}.get(kind, "i * 37 % 101")
            lines.append(f"{buffer} = dev_{kind}((0..{size}).map(i => {value}))")
        lines += [self.step() for _ in range(self.random.randrange(5, 40))]
        lines += [f'log("{{{b[0]}.to_list}}")' for b in BUFFERS]
        return f"test {name}\n= do\n  " + "\n  ".join(lines) + "\n  true\n"


def run(sspur, device, path):
    done = subprocess.run([sspur, "test", "--device", device, path], stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout, done.stderr, done.returncode


def main():
    sspur, folder, first, count, seconds, devices = (sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]),
                                                     float(sys.argv[5]), sys.argv[6:])
    end = time.monotonic() + seconds
    os.makedirs(folder, exist_ok=True)
    faults = programs = traps = passed = 0
    for seed in range(first, first + count, TESTS):
        if time.monotonic() > end:
            break
        seeds = range(seed, min(seed + TESTS, first + count))
        path = os.path.join(folder, f"launches-{seed}.ssp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(KERNELS + "\n" + "\n".join(Program(s).text(f"seed_{s}") for s in seeds))
        expected = run(sspur, "interp", path)
        programs += len(seeds)
        traps += expected[0].count(b"\nFAIL  ")
        passed += expected[0].count(b"\nPASS  ")
        same = True
        if expected[2] not in (0, 1) or expected[1]:
            print(f"{path}: interp ended with status {expected[2]}: {expected[1].decode()[:2000]}")
            same = False
        for device in devices if same else []:
            device = device.replace("SEED", str(seed))
            got = run(sspur, device, path)
            if got != expected:
                print(f"{path} differs on {device}: status {got[2]}, {got[1].decode()[:500]}")
                lines = zip(expected[0].splitlines(), got[0].splitlines())
                print(next((f"interp: {a}\n{device}: {b}" for a, b in lines if a != b), "one is shorter"))
                same = False
        faults += not same
        if same:
            os.remove(path)
    print(f"{programs} programs, {passed} passed, {traps} trapped, {faults} files differ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
