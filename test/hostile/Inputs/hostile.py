"""Runs sspur in surroundings that are against it. What is asked everywhere: an ordinary exit status (never a signal), a
message where the status is not 0, the right output where it is, and no file that is half written or left over."""
import json
import os
import random
import resource
import select
import signal
import subprocess
import sys
import time

SSPUR, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ANSWER = b"[10.5, 21.0, 31.5, 42.0]\n"
failures = 0


def fail(what, done):
    global failures
    failures += 1
    print("%s: status %s\n  stdout %r\n  stderr %r" % (what, done.returncode, done.stdout[:300], done.stderr[:600]))


def run(arguments, cache=None, limits=(), stdin=b"", timeout=60, environment=(), **more):
    def limit():
        for name, value in limits:
            resource.setrlimit(name, (value, value))

    surroundings = dict(os.environ, **dict(environment))
    if cache:
        surroundings["SSPUR_CACHE_DIR"] = cache
    if "stdin" not in more:
        more["input"] = stdin
    return subprocess.run([SSPUR] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings,
                          preexec_fn=limit, timeout=timeout, **more)


def expect_answer(what, done):
    if done.returncode != 0 or done.stdout != ANSWER:
        fail(what, done)


def expect_error(what, done, *parts):
    text = done.stderr.decode(errors="replace")
    if done.returncode not in (1, 2, 3) or not text.strip() or any(part not in text for part in parts):
        fail(what, done)


def expect_either(what, done):
    """The answer, or a message."""
    if done.returncode == 0:
        expect_answer(what, done)
    else:
        expect_error(what, done)


# ---- The cache ----

def cache_damage():
    """Every part of an entry changed, cut or lengthened: the answer does not change."""
    os.makedirs("cache")
    expect_answer("cold", run(["run", PROGRAM], "cache"))
    (entry,) = ["cache/" + name for name in os.listdir("cache")]
    sound = open(entry, "rb").read()
    rng = random.Random(1)
    for i in range(60):
        data = bytearray(sound)
        at = rng.randrange(64) if i % 2 else rng.randrange(len(data))
        if i % 3 == 0:
            del data[at:]
        elif i % 3 == 1:
            data[at] ^= 1 << rng.randrange(8)
        else:
            data += bytes(rng.randrange(1, 9))
        with open(entry, "wb") as f:
            f.write(data)
        expect_answer("entry %d" % i, run(["run", PROGRAM], "cache"))
    os.remove(entry)
    os.mkdir(entry)
    expect_answer("a folder for an entry", run(["run", PROGRAM], "cache"))
    os.rmdir(entry)
    os.symlink("/dev/zero", entry)
    expect_answer("an endless entry", run(["run", PROGRAM], "cache"))
    os.remove(entry)
    os.mkfifo(entry)
    expect_answer("an entry that is a pipe", run(["run", PROGRAM], "cache"))


def cache_places():
    for place in ("/proc/nothing/here", "/dev/full", "/sys/kernel", PROGRAM, "\xff" * 300, "a/" * 3000):
        expect_answer("cache " + place[:20], run(["run", PROGRAM], place))
    os.symlink("loop", "loop")
    expect_answer("cache in a loop", run(["run", PROGRAM], "loop"))
    os.mkdir("bounded")
    expect_answer("no room", run(["run", PROGRAM], "bounded", limits=[(resource.RLIMIT_FSIZE, 0)], stdin=b""))
    if os.listdir("bounded"):
        fail("left in a full cache: %s" % os.listdir("bounded"), run(["devices"]))


def cache_full():
    """On a file system of 64 KiB (the working folder)."""
    with open("filler", "wb", buffering=0) as f:
        try:
            for _ in range(256):
                f.write(bytes(512))
        except OSError:
            pass
    expect_answer("cache on a full disk", run(["run", PROGRAM], "cache"))
    left = os.listdir("cache") if os.path.isdir("cache") else []
    if left:
        fail("left: %s" % left, run(["devices"]))
    for arguments in (["build", PROGRAM, "--target", "ptx,kir", "-o", "out"],
                      ["run", "--profile", "trace.json", PROGRAM]):
        expect_error(arguments[0], run(arguments, "cache"), "No space left on device")
    left = [os.path.join(a, f) for a, _, files in os.walk(".") for f in files if f != "filler"]
    if left:
        fail("left: %s" % left, run(["devices"]))


# ---- Output ----

def output_places():
    os.mkdir("folder")
    expect_error("onto a folder", run(["build", PROGRAM, "--target", "kir", "-o", "folder/../folder/x/y.kir/"],
                                      limits=[(resource.RLIMIT_FSIZE, 0)]))
    os.makedirs("taken/saxpy.kir")
    expect_error("a folder of the file's name", run(["build", PROGRAM, "--target", "kir,ptx", "-o", "taken"]),
                 "Is a directory")
    expect_error("below a file", run(["build", PROGRAM, "--target", "kir", "-o", PROGRAM + "/below"]))
    expect_error("the profile is a folder", run(["run", "--profile", "folder", PROGRAM]), "folder")
    for kind in ("kir", "ptx", "vulkan", "native", "bundle"):
        expect_error("no room for " + kind, run(["build", PROGRAM, "--target", kind, "-o", "small"],
                                                limits=[(resource.RLIMIT_FSIZE, 0)]))
    left = [os.path.join(a, f) for a, _, files in os.walk(".") for f in files]
    if left:
        fail("left: %s" % left, run(["devices"]))
    before = open(PROGRAM, "rb").read()
    with open("bad.ssp", "wb") as f:
        f.write(before.replace(b"  x = ", b"  x  =  "))
    expect_error("fmt without room", run(["fmt", "bad.ssp"], limits=[(resource.RLIMIT_FSIZE, 10)]), "bad.ssp")
    if open("bad.ssp", "rb").read() != before.replace(b"  x = ", b"  x  =  "):
        fail("fmt lost the file", run(["devices"]))


def streams():
    """Standard streams that are closed, full, or a pipe that nobody reads."""
    for closed in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        words = " ".join("%d%s&-" % (fd, "<" if fd == 0 else ">") for fd in closed)
        os.makedirs("closed", exist_ok=True)
        done = subprocess.run(["sh", "-c", '"$0" run --profile closed/trace "$1" ' + words, SSPUR, PROGRAM],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, SSPUR_CACHE_DIR="closed/cache"))
        if 1 in closed:
            if done.returncode != 2 or (2 not in closed and b"could not be written" not in done.stderr):
                fail("closed %s" % (closed,), done)
        else:
            expect_answer("closed %s" % (closed,), done)
        with open("closed/trace", "rb") as f:
            trace = f.read()
        if ANSWER in trace or not trace.startswith(b"{"):
            fail("output went to the profile", done)
        subprocess.run(["rm", "-rf", "closed"])
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([SSPUR, "run", PROGRAM], stdout=write, stderr=subprocess.PIPE)
    if done.returncode not in (2, -signal.SIGPIPE):
        done.stdout = b""
        fail("a pipe that nobody reads", done)


# ---- Input ----

def inputs():
    text = open(PROGRAM, "rb").read()
    expect_answer("from a pipe", run(["run", "-"], stdin=text))
    expect_answer("from a pipe by name", run(["run", "/dev/stdin"], stdin=text))
    os.mkfifo("fifo.ssp")
    writer = subprocess.Popen(["sh", "-c", 'cat "$0" > fifo.ssp', PROGRAM])
    expect_answer("from a named pipe", run(["run", "fifo.ssp"]))
    writer.wait()
    os.symlink("b.ssp", "a.ssp")
    os.symlink("a.ssp", "b.ssp")
    for extension in ("ssp", "cone", "kir"):
        for name, byte in (("spaces", b" "), ("zeros", b"\0"), ("letters", b"a"), ("open", b"("), ("lines", b"\n")):
            path = "%s.%s" % (name, extension)
            with open(path, "wb") as f:
                f.write(byte * (100 << 20))
            arguments = ["check", path] if extension != "kir" else ["run", path, "--kernel", "k"]
            expect_error("100 MiB of " + path, run(arguments), "16 MiB")
            os.truncate(path, (16 << 20) - 1)
            done = run(arguments, timeout=200)
            if done.returncode != 0 or name not in ("spaces", "lines"):
                expect_error("16 MiB of " + path, done)
            os.remove(path)
        folder = "folder." + extension
        os.mkdir(folder)
        expect_error(folder, run(["run", folder, "--kernel", "k"] if extension != "ssp" else ["run", folder]),
                     "is a folder, not a file" if extension == "ssp" else "Is a directory")
    for command in (["check"], ["run"], ["build", "--target", "kir"], ["fmt"], ["test"]):
        expect_error("a loop of links: " + command[0], run(command + ["a.ssp"]), "Too many levels of symbolic links")
    expect_error("no such file", run(["run", "nowhere.ssp"]), "nowhere.ssp", "No such file")


# ---- Limits and signals ----

def limits():
    for size in (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024):
        done = run(["run", PROGRAM], "memory%d" % size, limits=[(resource.RLIMIT_AS, size << 20)])
        expect_either("%d MiB" % size, done)
        done = run(["build", PROGRAM, "--target", "ptx,native,vulkan,kir", "-o", "out%d" % size],
                   limits=[(resource.RLIMIT_AS, size << 20)])
        if done.returncode != 0:
            expect_error("%d MiB to build" % size, done)
        left = [f for _, _, files in os.walk(".") for f in files if f.endswith(".tmp")]
        if left:
            fail("left: %s" % left, done)
    for handles in range(4, 16):
        expect_either("%d handles" % handles,
                      run(["run", PROGRAM], "handles%d" % handles, limits=[(resource.RLIMIT_NOFILE, handles)]))
    for processes in (0, 1):
        expect_either("no threads", run(["run", "--device", "cpu", PROGRAM], "threads",
                                        limits=[(resource.RLIMIT_NPROC, processes)]))


def first_line(child):
    """What a pipe has only if it was written out before the child began to wait."""
    ready, _, _ = select.select([child.stdout], [], [], 60)
    return child.stdout.readline() if ready else ""


def waits():
    """What was logged is written out before the program sleeps, computes on other threads, or reads from a pipe."""
    global failures
    os.mkfifo("pipe")
    bodies = {
        "sleep_ms": "sleep_ms(1000000)",
        "par": "pair = par((1..10000000000).fold(0, (a, x) => a.bxor(x)), 1)",
        "read_file": 'text = read_file("pipe")',
        "read_bytes": 'bytes = read_bytes("pipe")',
        "write_file": 'done = write_file("pipe", "x")',
    }
    for name, body in bodies.items():
        with open("waits.ssp", "w") as f:
            f.write('fn main() ! dev, log, time, fs\n= do\n  log("starts")\n  %s\n  log("ends")\n' % body)
        child = subprocess.Popen([SSPUR, "run", "waits.ssp"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = first_line(child)
        waits_still = child.poll() is None
        child.kill()
        _, errors = child.communicate()
        if line != "starts\n" or (not waits_still and name != "write_file"):
            print("%s: has printed %r; %s" % (name, line, errors))
            failures += 1


def interrupt(command, number):
    """What a child that is sent the signal has printed, once it has said that it starts; its status."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    first = first_line(child)
    time.sleep(0.5)
    child.send_signal(number)
    start = time.time()
    try:
        child.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
    return first, child.returncode, time.time() - start


def interrupts(devices):
    """SIGINT, SIGTERM and SIGHUP end a long launch, on every device, at once; a whole profile is left, and no other
    file."""
    global failures
    source = """kernel fn long(y: &mut [Int]) @grid(y.len, 64)
= do
  var s = 0
  for i in 0..1000000000000 do
    s := (s * 3 + i) % 1000003
  y[gid] := s

test stays = do
  var y = [0, 0, 0, 0]
  log("starts")
  long(&mut y)
  true

fn main() ! dev, log
= do
  var y = [0, 0, 0, 0]
  log("starts")
  long(&mut y)
  log("{y}")
"""
    with open("long.ssp", "w") as f:
        f.write(source)
    cases = [(device, signal.SIGINT, "run") for device in devices]
    cases += [(devices[0], signal.SIGTERM, "run"), (devices[0], signal.SIGHUP, "run"), (devices[0], signal.SIGINT, "test")]
    for device, number, command in cases:
        case = "%s, %s, %s" % (device, signal.Signals(number).name, command)
        words = [SSPUR, command, "--device", device, "--profile", "trace.json", "long.ssp"]
        first, status, seconds = interrupt(words, number)
        if first != "starts\n" or status != -number or seconds > 10:
            print("%s: status %d after %.1f s, has printed %r" % (case, status, seconds, first))
            failures += 1
        try:
            events = json.load(open("trace.json"))["traceEvents"]
        except (OSError, ValueError) as error:
            print("%s: no profile: %s" % (case, error))
            failures += 1
            continue
        if not any(e["name"] == "ended by %s" % signal.Signals(number).name for e in events):
            print("%s: the profile does not say what ended the program" % case)
            failures += 1
        os.remove("trace.json")
    if sorted(os.listdir(".")) != ["long.ssp"]:
        print("left:", os.listdir("."))
        failures += 1


name = sys.argv[3]
if name == "interrupts":
    interrupts(sys.argv[4:])
else:
    {"cache_damage": cache_damage, "cache_places": cache_places, "cache_full": cache_full, "limits": limits,
     "output_places": output_places, "streams": streams, "inputs": inputs, "waits": waits}[name]()
print("%s: %d failed" % (name, failures))
sys.exit(failures != 0)
