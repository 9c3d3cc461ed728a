"""usage: recording_seeds.py SSPUR COUNT PROGRAMS API

Kernels that record their failures, on COUNT seeds of `fault:SEED:NAME` for one NAME after another: each program of the API's
tests, of PROGRAMS (`PROGRAM ARGUMENT...`, separated by `+`; `DEVICE` in it is the device), ends as it should, or with the
call's own error that the device was lost, as then nobody can run again what was not checked; and `sspur run` prints of
API/records.cone what it prints on `interp`. Ends with how often it was lost, which is not always."""
import os
import re
import subprocess
import sys

GOOD = "all as it should be"
LOST = re.compile(r"line \d+: (not so: .* == \(?SSPUR_(OK|ERROR_TRAP)\)?|in `[^`]*`)(; last error)?: the device failed: finish: FAULT_INJECTED")
DISPATCHES = [
    ("records.cone", "--kernel refuse --groups 2 --buffer bad=fill:u32:1:9 --buffer out=fill:u32:32:7 --print out"),
    ("records.cone", "--kernel bump --groups 3 --buffer out=fill:u32:100:5 --print out"),
    ("records.cone", "--kernel prefix --groups 2 --buffer input=fill:u32:512:3 --buffer out=zero:u32:500 --print out"),
    ("records.cone", "--kernel scale --groups 2 --set s.factor=1.5 --set s.first=3 --buffer out=fill:f32:100:5 --print out"),
]


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout, done.stderr, done.returncode


def main():
    sspur, count, api = sys.argv[1], int(sys.argv[2]), sys.argv[4]
    programs = [p.split() for p in sys.argv[3].split("+")]
    dispatches = [[sspur, "run", "--device", "DEVICE", os.path.join(api, file), *words.split()] for file, words in DISPATCHES]
    expected = [run(["interp" if word == "DEVICE" else word for word in d]) for d in dispatches]
    faults = lost = 0
    for seed in range(1, count + 1):
        device = f"fault:{seed}:{('seq', 'interp', 'cpu')[seed % 3]}"
        for program in programs:
            got = run([device if word == "DEVICE" else word for word in program])
            was_lost = got[2] == 1 and LOST.fullmatch(got[0].strip())
            lost += bool(was_lost)
            if not was_lost and (got[0].strip() != GOOD or got[2]):
                print(f"{program[0]} on {device}: {got}")
                faults += 1
        which = seed % len(dispatches)
        got = run([device if word == "DEVICE" else word for word in dispatches[which]])
        if got != expected[which]:
            print(f"{' '.join(dispatches[which])} on {device}:\n  {got}\nexpected:\n  {expected[which]}")
            faults += 1
    print(f"{count} seeds, {faults} faults, lost {'never' if not lost else 'now and then' if lost < count * len(programs) // 2 else 'too often'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
