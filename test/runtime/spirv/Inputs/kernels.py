"""A program with that many kernels, each with a constant of its own: kernels.py COUNT"""
import sys

for n in range(int(sys.argv[1])):
    print(f"kernel fn k{n}(a: F32, x: &[F32], y: &mut [F32]) @grid(y.len, 64)\n  pre x.len == y.len")
    print(f"= y[gid] := a * x[gid] + y[gid] + {n}.0\n")
print("fn main()\n= do\n  none = 0")
