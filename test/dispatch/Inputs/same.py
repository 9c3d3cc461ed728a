"""Dispatches a kernel on every device present and compares each with `interp`.

usage: same.py SSPUR RUN_DEVICES [--sort] [--any] [--save NAME]... FILE OPTION...

Output, messages, status and the files saved are to be the same; with --sort the numbers of each line in any order, with
--any, where several invocations fail, whichever of them the message describes. What a device says besides of a
workgroup that waits for ever is left out. Prints what interp printed. No device may
hand over to the processor, which the trace would say, unless --rerun says that this is meant.
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

sspur, run_devices, *rest = sys.argv[1:]
loader = importlib.machinery.SourceFileLoader("run_devices", run_devices)
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_devices", loader))
loader.exec_module(module)
# GCC 12's LeakSanitizer crashes in its own scan of thread-locals on some runs that compile (test/tools/dispatch.test
# looks for leaks).
sanitizer = {"ASAN_OPTIONS": os.environ["ASAN_OPTIONS"] + ":detect_leaks=0"} if "ASAN_OPTIONS" in os.environ else {}
ours = set()
saved = []
while rest[0].startswith("--"):
    word = rest.pop(0)
    if word == "--save":
        saved.append(rest.pop(0))
    else:
        ours.add(word)


def dispatch(device, folder):
    name, more = module.VARIATIONS.get(device, (device, {}))
    saves = [f"--save={item}={folder}/{item}.npy" for item in saved]
    done = subprocess.run([sspur, "run", "--device", name, *rest, *saves], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **sanitizer, **more, "SSPUR_GPU_TRACE": "1"})
    trace = [line for line in done.stderr.splitlines() if line.startswith("gpu ")]
    errors = "".join(line + "\n" for line in done.stderr.splitlines() if not line.startswith("gpu "))
    output = done.stdout
    if "--sort" in ours:
        output = "".join(" ".join(sorted(line.split(" "))) + "\n" for line in output.splitlines())
    if "--any" in ours:
        errors = re.sub(r":\d+: .*, (\d+ failed)$", r": \1", errors, flags=re.M)
    files = [open(f"{folder}/{item}.npy", "rb").read() for item in saved if os.path.exists(f"{folder}/{item}.npy")]
    return (output, errors, done.returncode, files), trace


present, skipped = module.devices_present(sspur)
differences = 0
with tempfile.TemporaryDirectory() as folder:
    wanted, _ = dispatch("interp", folder)
    sys.stdout.write(wanted[0] + wanted[1] + f"status {wanted[2]}\n")
    for device in present:
        result, trace = dispatch(device, folder)
        if result != wanted:
            print(f"{device} differs:\n{result[0]}{result[1]}status {result[2]}")
        reran = any("rerun" in line for line in trace)
        if reran and "--rerun" not in ours:
            print(f"{device}: {trace}")
        differences += result != wanted or (reran and "--rerun" not in ours)
print(f"{len(present)} devices, {differences} differences")
sys.exit(differences != 0)
