"""file_roles.py SSPUR SSPUR_OPT: each command with files that are one, in a folder of its own: an error, and no byte changes."""
import os
import shutil
import subprocess
import sys

sspur, sspur_opt = sys.argv[1:]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CONE = """mod k;
import lib;
fn @compute(1) k(inv Invocation, a &Array[u32], b &mut Array[u32]) { if b.len > 0 { b[0usize] = lib.one(a[0usize]); } }
"""
LIB = "mod lib;\npub fn one(x u32) u32 { x + 1u32; }\n"
PACKAGE = '[package]\nname = "kern"\ntargets = ["native", "gpu"]\n'
UGLY = "fn f(a:Int)->Int\n=   a+1\n"
made = 0


def fail(what):
    sys.exit("file_roles.py: " + what)


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def fresh():
    global made
    made += 1
    os.mkdir("case%d" % made)
    os.chdir("case%d" % made)
    for name in ("saxpy.ssp", "trap.ssp"):
        shutil.copy(os.path.join(ROOT, "examples", name), name)
    write("k.cone", CONE)
    write("lib.cone", LIB)
    write("ugly.ssp", UGLY)
    write("in.bin", "abcd")
    write("kern/congo.toml", PACKAGE)
    write("kern/src/kern.cone", "mod kern;\nfn @compute(1) k(inv Invocation, b &mut Array[u32]) {}\n")


def state():
    found = {}
    for folder, folders, names in os.walk("."):
        for name in names + folders:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            text = os.readlink(path) if os.path.islink(path) else open(path, "rb").read() if os.path.isfile(path) else None
            found[path] = (info.st_ino, info.st_mode, info.st_mtime_ns if text else 0, text)
    return found


def run(command):
    program, *rest = command.split()
    return subprocess.run([{"sspur": sspur, "sspur-opt": sspur_opt}[program], *rest], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, **ENVIRONMENT))


ENVIRONMENT = {}


def refused(command, message, *links, hard=(), env=None):
    """`links`: NAME>TARGET."""
    global ENVIRONMENT
    fresh()
    for link in links:
        name, target = link.split(">")
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        os.symlink(target, name)
    for link in hard:
        name, target = link.split(">")
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        os.link(target, name)
    before = state()
    ENVIRONMENT = env or {}
    done = run(command)
    ENVIRONMENT = {}
    if done.returncode != (1 if command.startswith("sspur-opt") else 2) or message not in done.stderr:
        fail("%s: %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
    if state() != before:
        fail("%s: something has changed:\n%s\n%s" % (command, before.keys(), state().keys()))
    os.chdir("..")


def accepted(command, *paths):
    fresh()
    done = run(command)
    if done.returncode != 0 or not all(os.path.exists(path) for path in paths):
        fail("%s: %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
    os.chdir("..")


LOST = ", and would be lost"
# build, gpu: the source, a Cone file's imports, headers and reflection files, each other.
refused("sspur build --target kir -o saxpy.ssp saxpy.ssp", "sspur: saxpy.ssp: the file is read too" + LOST)
refused("sspur build --target kir -o ./saxpy.ssp saxpy.ssp", "./saxpy.ssp: the file is read too, as saxpy.ssp" + LOST)
refused("sspur build --target kir -o out saxpy.ssp", "out: the file is read too, as saxpy.ssp" + LOST, "out>saxpy.ssp")
refused("sspur build --target kir -o out saxpy.ssp", "out: the file is read too", hard=["out>saxpy.ssp"])
refused("sspur build --target kir -o d/saxpy.ssp saxpy.ssp", "d/saxpy.ssp: the file is read too", "d>.")
refused("sspur gpu --emit ptx -o saxpy.ssp saxpy.ssp", "saxpy.ssp: the file is read too")
refused("sspur build --target ptx -o out/x.ptx saxpy.ssp", "out/x.json: the file is read too, as saxpy.ssp", "out/x.json>../saxpy.ssp")
refused("sspur build --target ptx saxpy.ssp", "saxpy.h: the file is read too, as saxpy.ssp", "saxpy.h>saxpy.ssp")
refused("sspur build --target ptx,kir -o out saxpy.ssp", "out/saxpy.kir: the file is read too", "out/saxpy.kir>../saxpy.ssp")
refused("sspur build --target ptx,kir -o out saxpy.ssp", "out/saxpy.json: the file is written twice, also as out/saxpy.ptx",
        "out/saxpy.ptx>x", "out/saxpy.json>x")
refused("sspur build --target kir -o x.json saxpy.ssp", "x.json: the file is written twice")
refused("sspur build --target kir -o x.h saxpy.ssp", "x.h: the file is written twice")
refused("sspur build --target vulkan -o lib.cone k.cone", "lib.cone: the file is read too, as ./lib.cone" + LOST)
refused("sspur build --target native -o out k.cone", "out: the file is read too, as ./lib.cone", "out>lib.cone")
refused("sspur build --target ptx,kir k.cone", "./k.kir: the file is read too, as k.cone", hard=["k.kir>k.cone"])
# What cannot be written stops all of it.
refused("sspur build --target ptx,kir -o out saxpy.ssp", "cannot write out/saxpy.json: Is a directory", "out/saxpy.json/x>y")
refused("sspur build --target kir -o %s.kir saxpy.ssp" % ("a" * 251), ".json: File name too long")
# Packages: manifests, sources, each other.
refused("sspur build kern", "kern/build/release/kern.spv: the file is read too, as kern/congo.toml",
        "kern/build/release/kern.spv>../../congo.toml")
refused("sspur build -o out kern", "out/kern.h: the file is read too, as kern/src/kern.cone", hard=["out/kern.h>kern/src/kern.cone"])
refused("sspur test -o out kern", "out/kern.json: the file is written twice, also as out/kern.spv", "out/kern.json>x", "out/kern.spv>x")
# fmt: a file named twice.
refused("sspur fmt ugly.ssp ugly.ssp", "ugly.ssp: the file is written twice")
refused("sspur fmt ugly.ssp ./ugly.ssp", "./ugly.ssp: the file is written twice, also as ugly.ssp")
refused("sspur fmt ugly.ssp saxpy.ssp soft.ssp", "soft.ssp: the file is written twice, also as ugly.ssp", "soft.ssp>ugly.ssp")
refused("sspur fmt ugly.ssp hard.ssp", "hard.ssp: the file is written twice, also as ugly.ssp", hard=["hard.ssp>ugly.ssp"])
# run and test: the trace, data, what is saved.
refused("sspur run --profile saxpy.ssp saxpy.ssp", "--profile saxpy.ssp: the file is read too" + LOST)
refused("sspur run saxpy.ssp", "--profile p: the file is read too, as saxpy.ssp", "p>saxpy.ssp", env={"SSPUR_PROFILE": "p"})
refused("sspur test --profile trap.ssp saxpy.ssp trap.ssp", "--profile trap.ssp: the file is read too" + LOST)
DISPATCH = "sspur run k.cone --kernel k --groups 1 --buffer a=file:in.bin --buffer b=zero:u32:1 "
refused(DISPATCH + "--save b=x.bin --save a=./x.bin", "--save a=./x.bin: the file is written twice, also as x.bin")
refused(DISPATCH + "--save b=x.bin --save a=y.bin", "--save a=y.bin: the file is written twice, also as x.bin", "x.bin>z", "y.bin>z")
refused(DISPATCH + "--save b=in.bin", "--save b=in.bin: the file is read too" + LOST)
refused(DISPATCH + "--save b=x.npy", "--save b=x.npy: the file is read too, as ./lib.cone", "x.npy>lib.cone")
refused(DISPATCH + "--save b=x.bin --profile x.bin", "--profile x.bin: the file is written twice")
refused(DISPATCH + "--profile lib.cone", "--profile lib.cone: the file is read too, as ./lib.cone")
refused(DISPATCH, "--profile in.bin: the file is read too", env={"SSPUR_PROFILE": "in.bin"})
# sspur-opt.
refused("sspur-opt -o k.kir k.kir", "sspur-opt: k.kir: the file is read too", hard=["k.kir>saxpy.ssp"])

# What may be: other files, files that are replaced, reading one twice, and what is no file.
accepted("sspur build --target ptx -o saxpy.ptx saxpy.ssp", "saxpy.ptx", "saxpy.json")
accepted("sspur build --target ptx,kir -o new/folder saxpy.ssp", "new/folder/saxpy.kir")
accepted("sspur build --target ptx -o /dev/null saxpy.ssp")
accepted("sspur fmt --check saxpy.ssp saxpy.ssp")
accepted("sspur test saxpy.ssp saxpy.ssp")
accepted("sspur run --profile t.json saxpy.ssp", "t.json")
accepted("sspur run k.cone --kernel k --groups 1 --buffer a=file:in.bin --buffer b=file:in.bin --save b=x.bin --save a=X.npy", "x.bin", "X.npy")
