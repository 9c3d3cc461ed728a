"""A kernel with N checked operations on a literal, one after another: many_literals.py N START [rows]. START is its last
element; with `rows` the grid has two axes.

many_literals.py SSPUR N M FOLDER compares the processor time of compiling two of them: prints `linear`, or the times."""
import os
import resource
import subprocess
import sys


def program(n, start, rows=False):
    steps = ["a + 1", "a - 3", "3 + a"]
    lines = "\n".join(f"  a := {steps[i % 3]}" for i in range(n))
    head = "kernel fn k(w: Int, x: &[I32], y: &mut [I32]) " + ("@grid2(w, y.len / w, 4, 4)" if rows else "@grid(y.len, 64)")
    index = "gid.y * w + gid.x" if rows else "gid"
    return (f"{head}\n  pre x.len == y.len\n= do\n  var a = x[{index}]\n{lines}\n  y[{index}] := a\n\nfn main() ! dev, log\n= do\n"
            f"  var y = (0..60).map(_ * 0)\n  k(6, &(0..60).map(if _ == 47 then {start} else _), &mut y)\n  log(\"{{y}}\")\n")


def seconds(sspur, n, folder):
    path = os.path.join(folder, f"n{n}.ssp")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program(n, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sspur, "run", "--no-cache", "--device", "seq", path], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def main(words):
    if words[0].isdigit():
        print(program(int(words[0]), words[1], "rows" in words), end="")
        return
    sspur, few, many, folder = words[0], int(words[1]), int(words[2]), words[3]
    short, long = seconds(sspur, few, folder), seconds(sspur, many, folder)
    print("linear" if long < 2 * many / few * short else f"{few}: {short:.2f} s, {many}: {long:.2f} s")


main(sys.argv[1:])
