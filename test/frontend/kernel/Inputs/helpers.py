"""Prints helpers that are many or deep in the way its argument names, and a kernel that calls them."""
import sys

KERNEL = "kernel fn k(y: &mut [F32], a: Bool) @grid(y.len, 4)\n= do\n"


def fn(name, body):
    print("fn %s(x: F32) -> F32\n= %s\n" % (name, body))


way = sys.argv[1]
if way == "many":
    for i in range(3000):
        fn("h%d" % i, "x + %d.0" % i)
    print(KERNEL + "  var v = y[gid]\n" + "".join("  v := h%d(v)\n" % i for i in range(3000)) + "  y[gid] := v")
elif way == "growing":
    # Each level calls the next so many times.
    for i in range(1, 8):
        fn("h%d" % i, " + ".join(["h%d(x)" % (i + 1)] * int(sys.argv[2])))
    fn("h8", "x * x")
    print(KERNEL + "  y[gid] := h1(y[gid])")
elif way == "chain":
    for i in range(20000):
        fn("h%d" % i, "h%d(x)" % (i + 1))
    fn("h20000", "x")
elif way == "cycle":
    for i in range(20000):
        fn("h%d" % i, "h%d(x)" % ((i + 1) % 20000))
elif way == "nested":
    # Control of the helper and around the call, inside each other.
    inner, outer = int(sys.argv[2]), int(sys.argv[3])
    body = "do\n  var v = x\n" + "".join("  " * (i + 1) + "if v > %d.0 then do\n" % i for i in range(inner))
    fn("h", body + "  " * (inner + 1) + "v := 1.0\n  v")
    print(KERNEL + "".join("  " * (i + 1) + "if a then do\n" for i in range(outer)) + "  " * (outer + 1) + "y[gid] := h(y[gid])")
elif way == "barriers":
    print("kernel fn k(y: &mut [F32]) @grid(y.len, 4)\n= do\n  sh = shared[F32](4)")
    print("  sh[lid] := sh[lid] + 1.0\n  barrier()\n" * 5000 + "  y[gid] := sh[0]")
