"""usage: fault_seeds.py SSPUR COUNT FILE...

Runs COUNT seeds of `fault:SEED:seq` and `fault:SEED:cpu`, which has code without checks, each over one of the files in
turn, main or tests, against interp. Also the first file on a device that loses its memory: it ends with the trap of spec 3.5."""
import re
import subprocess
import sys


def run(sspur, verb, device, path):
    done = subprocess.run([sspur, verb, "--device", device, path], stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout, done.stderr, done.returncode


def main():
    sspur, count, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    expected, faults = {}, 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for verb, pattern in (("run", r"^fn main\b"), ("test", r"^test \w")):
            if re.search(pattern, text, re.M):
                expected[verb, path] = run(sspur, verb, "interp", path)
    cases = list(expected)
    for seed in range(1, count + 1):
        verb, path = cases[seed // 2 % len(cases)]
        device = f"fault:{seed}:{'cpu' if seed % 2 else 'seq'}"
        got = run(sspur, verb, device, path)
        if got != expected[verb, path]:
            print(f"{verb} --device {device} {path}:\n  {got}\nexpected:\n  {expected[verb, path]}")
            faults += 1
    for at in (1, 2, 5, 70, 140):
        got = run(sspur, "run", f"fault:lost{at}:seq", files[0])
        if got[2] != 1 or b"trap: dev: the GPU failed while running " not in got[1]:
            print(f"run --device fault:lost{at}:seq {files[0]}:\n  {got}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
