"""Dispatches of random Cone programs on devices, each at its levels of optimization, compared with `interp`."""
import os
import re
import struct

from program_runs import CONFIGURATIONS

CONFIGURATIONS.setdefault("twin", ("twin", {}))
CONFIGURATIONS.setdefault("twin-O0", ("twin", {"SSPUR_OPTIMIZE": "0"}))
# The reference once more: races, and whether it met subnormals.
CONFIGURATIONS.setdefault("interp-watched", ("interp", {"SSPUR_DEBUG": "subnormals"}))
RACES = ("--check-races",)
IN_ORDER = ("seq", "cpu", "twin")  # which describe the first failure
DRIVERS = ("vulkan",)  # whose quotients, roots and functions are theirs, and which may flush subnormals
PROBE = """mod probe;
fn @compute(1) probe(inv Invocation, data &Array[f32], out &mut Array[f32]) {
  imm small = data[0];
  imm least = data[1];
  out[0] = small * 4.0;
  out[1] = least * 0.75;
  out[2] = small + small;
  out[3] = least - small;
  out[4] = if small == 0.0 { 0.0; } elif small < data[2] { 1.0; } else { 2.0; };
  out[5] = if small { 1.0; } else { 0.0; };
  out[6] = (0.0 - small) * 16777216.0;
}
"""


def write_program(machine, program, tree=None):
    """The path of the main module in a folder of its own, with the data of all kernels beside it."""
    folder = machine.path(f"{'cut' if tree else 'cone'}{program.seed}")
    os.makedirs(folder, exist_ok=True)
    for name, text in program.texts(tree).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    for kernel in program.kernels:
        for buffer in kernel.buffers:
            with open(data_path(folder, kernel, buffer), "wb") as file:
                file.write(struct.pack(f"<{len(buffer.words)}I", *buffer.words))
    return os.path.join(folder, "program.cone")


def data_path(folder, kernel, buffer):
    return os.path.join(folder, f"{kernel.name}-{buffer.name}.bin")


def dispatch(machine, path, kernel, configuration, more=()):
    """Standard error, status, and the words of the buffers that it may write."""
    folder = os.path.dirname(path)
    device, environment = CONFIGURATIONS[configuration]
    device = device.format(seed=kernel.program.seed)
    where = list(more) or ["--device", device]
    words = ["run", "--no-cache", *where, path]
    words += kernel.options(lambda b: f"file:{data_path(folder, kernel, b)}" if b.words else f"zero:{b.type}:0")
    written = [b for b in kernel.buffers if b.written]
    out = os.path.join(folder, f"{configuration}-%s.bin")
    for b in written:
        words += ["--save", f"{b.name}={out % b.name}"]
        if os.path.exists(out % b.name):
            os.remove(out % b.name)
    machine.runs += 1
    if more:
        output, error, status = machine.command(words, environment)
    else:
        output, error, status = machine.served(device, words, environment)
    found = {}
    for b in written:
        if os.path.exists(out % b.name):
            with open(out % b.name, "rb") as file:
                data = file.read()
            found[b.name] = normal(b, struct.unpack(f"<{len(data) // 4}I", data))
    return re.sub(r"\S*random-kernels-[^/]*/\w+/", "", output + error), status, found


def normal(buffer, words):
    """NaN is NaN, whatever its bits; what is sorted is sorted."""
    words = [0x7FC00000 if kind == "f32" and (w & 0x7FFFFFFF) > 0x7F800000 else w for w, kind in zip(words, buffer.kinds())]
    return sorted(words) if buffer.sorted else words


def counted(error):
    """Without which of the failures is described."""
    return re.sub(r":\d+: .*, (\d+ failed)$", r": \1", error, flags=re.M)


def family(configuration):
    """The kind of device."""
    return re.match(r"\w+", configuration).group()


def flushing(machine):
    """The kinds of devices that flush subnormals: those of DRIVERS whose words of PROBE are others than interp's. Some
    promise nothing and flush none; what they compute is compared."""
    path = machine.write("probe.cone", PROBE)
    with open(machine.path("probe-data.bin"), "wb") as file:
        file.write(struct.pack("<3I", 0x00000007, 0x00800000, 0x00000100))

    def words(device):
        return machine.command(["run", "--no-cache", "--device", device, path, "--kernel", "probe", "--groups", "1", "--buffer",
                                f"data=file:{machine.path('probe-data.bin')}", "--buffer", "out=zero:f32:7", "--print", "out"])
    found = {CONFIGURATIONS[name][0] for name in machine.names if family(name) in DRIVERS}
    expected = words("interp")
    if expected[2] != 0:
        raise SystemExit(f"random_kernels: the probe of subnormals: {expected[1]}")
    return {family(device) for device in found if words(device) != expected}


def watched(machine, path, kernel):
    """What went wrong in the order of threads, or None; and whether a subnormal was met."""
    error, status, found = dispatch(machine, path, kernel, "interp-watched", RACES)
    said = f"interp: {kernel.name}: subnormals\n"
    return (error.replace(said, ""), status, found), said in error


def in_turns(machine, number):
    """Each device once, at one of its levels."""
    families = {}
    for name in machine.names:
        families.setdefault(CONFIGURATIONS[name][0], []).append(name)
    return [levels[number % len(levels)] for levels in families.values()]


def why_not_compared(program, kernel, configuration, may_flush, subnormals):
    """In words; None: it is compared. may_flush: kinds of devices; subnormals: the dispatch met some."""
    device = family(configuration)
    if device in DRIVERS and not program.exact:
        return "its own functions"
    if device == "twin" and not kernel.twin:
        return "one memory"
    return "subnormals" if subnormals and device in may_flush else None


def difference(expected, got, configuration):
    """What differs first, in words; None: nothing."""
    a, b = expected, got
    if a[1] != b[1]:
        return f"status {a[1]}, here {b[1]}: {b[0][:200]}"
    ordered = family(configuration) in IN_ORDER
    if (a[0] if ordered else counted(a[0])) != (b[0] if ordered else counted(b[0])):
        return f"interp said `{a[0][:200]}`, here `{b[0][:200]}`"
    for name, words in a[2].items():
        others = b[2].get(name)
        if others is None or len(others) != len(words):
            return f"{name}: not written"
        wrong = [i for i, (x, y) in enumerate(zip(words, others)) if x != y]
        if wrong:
            return f"{name}: word {wrong[0]}: {words[wrong[0]]:#010x}, here {others[wrong[0]]:#010x}; {len(wrong)} words"
    return None
