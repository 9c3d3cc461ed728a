# The lit suite. Run it through BUILD/run-tests, which names the build and what it can do.
import atexit
import os
import platform
import shutil
import subprocess
import tempfile

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
bindir = os.path.abspath(lit_config.params.get("bindir", os.path.join(root, "build", "release")))
objdir = lit_config.params.get("objdir", os.path.join(bindir, "lit"))

config.name = "sspur"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".test", ".ssp", ".cone", ".kir", ".c"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = objdir

# A test sees neither the user's settings nor what an earlier run left in a cache.
scratch = tempfile.mkdtemp(prefix="sspur-test-")
atexit.register(shutil.rmtree, scratch, True)
for name, folder in (
    ("HOME", "home"),
    ("XDG_CACHE_HOME", "cache"),
    ("SSPUR_CACHE_DIR", "objects"),
    ("POCL_CACHE_DIR", "pocl"),
):
    path = os.path.join(scratch, folder)
    os.mkdir(path)
    config.environment[name] = path
for name in ("SSPUR_DEVICE", "SSPUR_GPU", "SSPUR_THREADS", "SSPUR_GPU_TRACE", "SSPUR_PROOFS", "SSPUR_OPTIMIZE", "SSPUR_SPIRV_OPT", "SSPUR_PTXAS", "SSPUR_PROFILE", "SSPUR_DEBUG", "SSPUR_METAL", "SSPUR_METAL_RUNTIME"):
    config.environment.pop(name, None)
config.environment["LC_ALL"] = "C"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"


def first(*candidates):
    for candidate in candidates:
        found = shutil.which(candidate)
        if found:
            return found
    return None


versions = range(15, 23)
file_check = first(
    "/usr/lib/llvm-15/bin/FileCheck",
    *["FileCheck-%d" % v for v in versions],
    *["/usr/lib/llvm-%d/bin/FileCheck" % v for v in versions],
    "FileCheck",
)
if not file_check:
    lit_config.fatal("FileCheck was not found: install llvm-15-tools")
llvm_tools = os.path.dirname(os.path.realpath(file_check))
ptxas = first("ptxas", "/usr/local/cuda/bin/ptxas")
config.environment["PATH"] = os.pathsep.join(
    [bindir, llvm_tools, os.environ["PATH"]] + ([os.path.dirname(ptxas)] if ptxas else [])
)

# What the build can do, then the tools of this machine.
config.available_features.update(filter(None, lit_config.params.get("features", "").split(",")))
tools = {
    "ptxas": ptxas,
    "spirv-val": first("spirv-val"),
    "spirv-dis": first("spirv-dis"),
    "oclgrind": first("oclgrind"),
    "clang": first("clang"),
    "clang++": first("clang++"),
    "clang-format": first("clang-format"),
    "cmake": first("cmake"),
    "pkg-config": first("pkg-config"),
    "git": first("git"),
    "locale-sources": first("localedef") and os.path.exists("/usr/share/i18n/locales/de_DE"), # of the package locales
    "opencl-headers": os.path.exists("/usr/include/CL/cl.h"),
    "vulkan-headers": os.path.exists("/usr/include/vulkan/vulkan.h"),
    "cuda-headers": os.path.exists("/usr/local/cuda/include/cuda.h"),
    "pyopencl": os.path.isdir("/usr/lib/python3/dist-packages/pyopencl"),
    "vulkan-validation": os.path.exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"),
    "pocl": os.path.exists("/etc/OpenCL/vendors/pocl.icd"),
}
config.available_features.update(name for name, found in tools.items() if found)
# A file system of a test's own.
mounts = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "none", scratch]
if shutil.which("unshare") and subprocess.run(mounts, capture_output=True).returncode == 0:
    config.available_features.add("mount")
# Tests that need 10 GB are asked for.
if os.environ.get("SSPUR_TEST_LARGE") == "1":
    config.available_features.add("large-memory")
if not {"sanitize", "sanitize-thread"} & config.available_features:
    config.available_features.add("no-sanitize")

# An error that a sanitizer finds has a status of its own, so that `not` does not take it for a
# diagnostic.
config.environment["TSAN_OPTIONS"] = "exitcode=96:halt_on_error=1"
if "sanitize" in config.available_features:
    # Without its guess at what an older glibc keeps before a thread's memory: it takes some of LLVM's for that, and the
    # search for leaks then ends in a signal.
    config.environment["ASAN_OPTIONS"] = "exitcode=99:detect_stack_use_after_return=1:intercept_tls_get_addr=0"
    config.environment["LSAN_OPTIONS"] = "exitcode=98:print_suppressions=0:suppressions=" + os.path.join(
        root, "test", "lsan.supp"
    )
    config.environment["UBSAN_OPTIONS"] = "exitcode=97:print_stacktrace=1"

# Devices: device-cuda, ... OpenCL's libraries leak, so that a build that looks for leaks does not meet them.
if {"sanitize", "sanitize-thread"} & config.available_features:
    config.environment["OCL_ICD_VENDORS"] = os.path.join(scratch, "home")
# What lavapipe's threads do is not instrumented, so that ThreadSanitizer does not understand it.
if "sanitize-thread" in config.available_features:
    config.environment["VK_ICD_FILENAMES"] = os.path.join(scratch, "home")
listed = subprocess.run(
    [os.path.join(bindir, "sspur"), "devices"], env=dict(os.environ, **config.environment), capture_output=True, text=True
)
for line in listed.stdout.splitlines():
    device, _, rest = line.partition(" ")
    if rest.strip().startswith("not usable"):
        lit_config.note("device %s is %s" % (device, rest.strip()))
    else:
        config.available_features.add("device-" + device)

def build_fake_metal():
    """Metal's runtime as a library for machines without it; None where it cannot be built."""
    source = os.path.join(root, "test", "runtime", "devices", "Inputs", "fake_metal.cpp")
    mapping = os.path.join(root, "utils", "dev", "metal")
    made_from = [source] + [os.path.join(mapping, name) for name in os.listdir(mapping)]
    library = os.path.join(objdir, "fake_metal.so")
    if not tools["clang++"] or platform.machine() != "x86_64" or "sanitize-thread" in config.available_features:
        return None
    if not os.path.exists(library) or any(os.path.getmtime(f) > os.path.getmtime(library) for f in made_from):
        os.makedirs(objdir, exist_ok=True)
        own = library + ".%d" % os.getpid()
        command = [tools["clang++"], "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I", root]
        subprocess.run(command + ['-DFAKE_METAL_MAPPING="%s"' % mapping, "-o", own, source], check=True)
        os.rename(own, library)
    return library


# What it compiles is kept for this run; `metal-cpu` of run_devices uses it, but where AddressSanitizer would say on standard
# error that it does not understand fibers.
fake_metal = build_fake_metal()
if fake_metal:
    config.available_features.add("fake-metal")
    if "no-sanitize" in config.available_features:
        config.environment["SSPUR_TEST_METAL"] = fake_metal
    config.environment["FAKE_METAL_CACHE"] = os.path.join(scratch, "metal")
    os.mkdir(config.environment["FAKE_METAL_CACHE"])

# Code that LLVM does not make is the same in every build: it is tested in those with the SPIR-V translator alone.
if "translator" not in config.available_features:
    config.available_features -= {"device-vulkan", "fake-metal", "opencl-headers", "clang", "clang++"}
    config.environment["SSPUR_RUN_DEVICES_WITHOUT"] = "opencl-c vulkan metal-cpu"
    lit_config.note("without the translator: what LLVM does not compile is tested in other builds (Vulkan, OpenCL C, Metal)")

# The longer name goes first: lit replaces them in order.
for name, value in (
    ("sspur[-_]opt", os.path.join(bindir, "sspur-opt")),
    ("sspur", os.path.join(bindir, "sspur")),
    ("FileCheck", file_check),
    ("ptxas", ptxas or "ptxas"),
    ("python", "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"),
    ("cc", first("cc", "gcc", "clang") or "cc"),
    ("run_dispatches", os.path.join(root, "utils", "dev", "run_dispatches") + " --sspur " + os.path.join(bindir, "sspur")),
    ("run_devices", os.path.join(root, "utils", "dev", "run_devices") + " --sspur " + os.path.join(bindir, "sspur")),
    # A test that names it is watched by Vulkan's validation layer, whose messages make it fail.
    ("vulkan_validation", "SSPUR_DEBUG=vulkan" if tools["vulkan-validation"] else "SSPUR_DEBUG="),
    ("fake_metal", "SSPUR_METAL_RUNTIME=%s" % fake_metal),
    ("bindir", bindir),
    ("root", root),
):
    config.substitutions.append(("%" + name + r"\b", value))

try:
    import psutil  # lit needs it for time limits

    lit_config.maxIndividualTestTime = 300
except ImportError:
    pass
