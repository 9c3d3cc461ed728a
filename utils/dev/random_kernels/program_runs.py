"""Running a program on devices, each at its levels of optimization, without any cache."""
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter

from command_servers import Servers

# The validation layer's messages are differences, where it is installed.
VALIDATION = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
WATCHED = {"SSPUR_DEBUG": "vulkan"} if os.path.exists(VALIDATION) else {}

# A device, and what its environment has besides; a device alone is the usual level. `fault` flags launches at random, refuses
# memory and fails, by the program's seed: what the queue restores and runs again.
CONFIGURATIONS = {
    "interp": ("interp", {}),
    "seq": ("seq", {}),
    "seq-O0": ("seq", {"SSPUR_OPTIMIZE": "0"}),
    "cpu": ("cpu", {}),
    "cpu-O0": ("cpu", {"SSPUR_OPTIMIZE": "0"}),
    "cpu-checked": ("cpu", {"SSPUR_PROOFS": "0"}),
    "twin": ("twin", {}),
    "twin-O0": ("twin", {"SSPUR_OPTIMIZE": "0"}),
    "fault": ("fault:{seed}:cpu", {"SSPUR_OPTIMIZE": "0", "SSPUR_PROOFS": "0"}),
    "fault-proved": ("fault:{seed}:cpu", {"SSPUR_OPTIMIZE": "0"}),
    "opencl": ("opencl", {}),
    "opencl-O0": ("opencl", {"SSPUR_OPTIMIZE": "0"}),
    "opencl-c": ("opencl", {"SSPUR_OPENCL": "source"}),
    "opencl-checked": ("opencl", {"SSPUR_PROOFS": "0"}),
    "vulkan": ("vulkan", WATCHED),
    "vulkan-opt": ("vulkan", {"SSPUR_SPIRV_OPT": "1", **WATCHED}),
    "vulkan-checked": ("vulkan", {"SSPUR_PROOFS": "0", **WATCHED}),
    "metal": ("metal", {}),
    "metal-cpu": ("metal", {"SSPUR_METAL_RUNTIME": os.environ.get("SSPUR_TEST_METAL", "")}),
    "cuda": ("cuda", {}),
    "cuda-O0": ("cuda", {"SSPUR_OPTIMIZE": "0"}),
    "cuda-ptxas-O0": ("cuda", {"SSPUR_PTXAS": "O0"}),
    "cuda-checked": ("cuda", {"SSPUR_PROOFS": "0"}),
}
NO_LEVELS = ("seq", "cpu", "fault", "opencl", "opencl-c", "vulkan", "metal", "metal-cpu", "cuda")
SECONDS, SECONDS_ALONE = 120, 600  # PoCL makes code for a minute where barriers are among many branches


class Machine:
    """The compiler, a folder that goes away, and the configurations to run; with `serve` in processes that run many
    programs."""

    def __init__(self, sspur, names=None, levels=True, serve=True):
        self.sspur = os.path.abspath(shutil.which(sspur) or sspur)
        self.folder = tempfile.TemporaryDirectory(prefix="random-kernels-")
        server = os.path.join(os.path.dirname(os.path.realpath(self.sspur)), "command-server")
        self.servers = Servers(server, self.folder.name) if serve and os.path.exists(server) else None
        usable = self.usable()
        if names:
            self.names = [n for given in names for n in self.expanded(given, levels)]
        else:
            self.names = [n for n, (device, _) in CONFIGURATIONS.items()
                          if (device in usable or n in ("fault", "metal-cpu")) and device != "interp" and (levels or n in NO_LEVELS)]
        if "SSPUR_TEST_METAL" not in os.environ:
            self.names = [n for n in self.names if n != "metal-cpu"]
        self.runs, self.seconds = 0, Counter()  # by configuration

    def usable(self):
        done = subprocess.run([self.sspur, "devices"], capture_output=True, text=True, check=True)
        lines = [line.split(None, 1) for line in done.stdout.splitlines()]
        return {line[0] for line in lines if not line[1].startswith("not usable")}

    def expanded(self, given, levels):
        """A device's name stands for all its levels; so does `NAME:N`, the N-th device of that name."""
        name, _, number = given.partition(":")
        if number and name in CONFIGURATIONS:
            for n, (device, more) in list(CONFIGURATIONS.items()):
                if device == name:
                    CONFIGURATIONS[n.replace(name, given, 1)] = (given, more)
        if given not in CONFIGURATIONS:
            raise SystemExit(f"random_kernels: no configuration `{given}`: {' '.join(CONFIGURATIONS)}")
        if given == "interp":
            return []
        more = [n for n in CONFIGURATIONS if n.startswith(given + "-") and n not in NO_LEVELS] if levels else []
        return [given] + more

    def in_turns(self, seed):
        """Each device once: at one of its levels, each of them for as many programs as the others."""
        families = {}
        for n in self.names:
            families.setdefault(CONFIGURATIONS[n][0], []).append(n)
        return [levels[seed % len(levels)] for levels in families.values()]

    def environment(self, more):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SSPUR_") or k in ("SSPUR_PLANT", "SSPUR_THREADS")}
        caches = {"HOME": self.folder.name, "XDG_CACHE_HOME": self.folder.name, "POCL_CACHE_DIR": self.folder.name + "/pocl",
                  "MESA_SHADER_CACHE_DISABLE": "true", "CUDA_CACHE_DISABLE": "1", "LC_ALL": "C"}
        return {**kept, **caches, **more}

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def command(self, arguments, more=None, seconds=SECONDS):
        """Standard output, standard error, status; a status of None: it did not end."""
        try:
            done = subprocess.run([self.sspur, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds,
                                  env=self.environment(more or {}), cwd=self.folder.name)
        except subprocess.TimeoutExpired:
            return "", f"no end after {seconds} s\n", None
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), done.returncode

    def served(self, device, arguments, more=None, seconds=SECONDS):
        """The same in a process that has run others; `fault` is another device's."""
        if not self.servers:
            return self.command(arguments, more, seconds)
        return self.servers.command(device.split(":")[-1] if device.startswith("fault:") else device,
                                    self.environment(more or {}), more or {}, arguments, seconds)

    def run(self, path, configuration, seed=0, alone=False):
        """`alone`: in a process of its own."""
        device, more = CONFIGURATIONS[configuration]
        device = device.format(seed=seed)
        self.runs += 1
        arguments = ["run", "--no-cache", "--device", device, path]
        began = time.monotonic()
        result = self.command(arguments, more, SECONDS_ALONE) if alone else self.served(device, arguments, more)
        self.seconds[configuration] += time.monotonic() - began
        return result

    def end(self):
        if self.servers:
            self.servers.end()

    def accepts(self, path):
        return self.command(["check", path])[2] == 0


def difference(expected, got):
    """What differs first, in words; None: nothing."""
    for what, a, b in zip(("status", "standard error", "standard output"), reversed_parts(expected), reversed_parts(got)):
        if a != b:
            return f"{what}: {first_difference(str(a), str(b))}"
    return None


def reversed_parts(result):
    output, error, status = result
    return status, re.sub(r"\S*random-kernels-[^/]*/", "", error), output


def first_difference(a, b):
    lines = zip(a.splitlines() + [""], b.splitlines() + [""])
    x, y = next(((x, y) for x, y in lines if x != y), ("", ""))
    at = next((i for i, (c, d) in enumerate(zip(x, y)) if c != d), min(len(x), len(y)))
    start = max(at - 30, 0)
    return f"interp `{x[:20]} ...{x[start:at + 60]}`, here `...{y[start:at + 60]}`"
