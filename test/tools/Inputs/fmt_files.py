"""fmt_files.py SSPUR CASE: what `sspur fmt` leaves of a file but its content, in the folder where it runs."""
import os
import stat
import subprocess
import sys

UGLY = "fn f(a:Int)->Int\n=   a+1\n"
NICE = None  # what fmt makes of it; set below
OTHER = 65534  # a user without rights
sspur = sys.argv[1]


def fail(what):
    sys.exit("fmt_files.py: " + what)


def expect(condition, what):
    if not condition:
        fail(what)


def write(path, text=UGLY, mode=0o644):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path) as file:
        return file.read()


def run(*words, user=None):
    def become():
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    return subprocess.run([sspur, *words], capture_output=True, text=True, preexec_fn=become)


def fmt(path, **more):
    done = run("fmt", path, **more)
    expect(done.returncode == 0 and read(path) == NICE, "%s: %d %s" % (path, done.returncode, done.stderr))


def expect_refused(path, words, user):
    before = read(path)
    done = run("fmt", path, user=user)
    expect(done.returncode == 2 and words in done.stderr, "%s: %d %s" % (path, done.returncode, done.stderr))
    expect(read(path) == before, path + " has changed")


def expect_clean():
    left = [name for _, _, names in os.walk(".") for name in names if name.endswith(".tmp")]
    expect(not left, "left behind: %s" % left)


def modes():
    for mode in (0o600, 0o640, 0o755, 0o666):
        write("a.ssp", mode=mode)
        fmt("a.ssp")
        expect(stat.S_IMODE(os.stat("a.ssp").st_mode) == mode, "%o became %o" % (mode, os.stat("a.ssp").st_mode))


def owners():
    if os.getuid() != 0:
        return
    write("a.ssp", mode=0o640)
    os.chown("a.ssp", 12345, 23456)
    fmt("a.ssp")
    info = os.stat("a.ssp")
    expect((info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (12345, 23456, 0o640), "the owner is %s" % info.st_uid)
    # By a user who may write it and cannot give it away.
    os.mkdir("open")
    os.chmod("open", 0o777)
    write("open/a.ssp", mode=0o660)
    os.chown("open/a.ssp", 0, OTHER)
    fmt("open/a.ssp", user=OTHER)
    info = os.stat("open/a.ssp")
    expect((info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (0, OTHER, 0o660), "owner %d" % info.st_uid)


def attributes():
    write("a.ssp")
    access = bytes.fromhex("02000000 0100 0600 ffffffff 0200 0400 39300000 0400 0400 ffffffff 1000 0400 ffffffff 2000 0000 ffffffff")
    given = {}
    for name, value in (("user.note", b"kept"), ("system.posix_acl_access", access)):
        try:
            os.setxattr("a.ssp", name, value)
            given[name] = value
        except OSError:
            pass  # the file system has none
    fmt("a.ssp")
    for name, value in given.items():
        expect(os.getxattr("a.ssp", name) == value, name + " is lost")
    # What the folder would give a new file is not given to one that is there.
    os.mkdir("giving")
    write("giving/a.ssp", mode=0o644)
    try:
        os.setxattr("giving", "system.posix_acl_default", access)
    except OSError:
        return
    fmt("giving/a.ssp")
    expect("system.posix_acl_access" not in os.listxattr("giving/a.ssp"), "an access list came")


def links():
    write("a.ssp")
    os.link("a.ssp", "hard.ssp")
    os.symlink("a.ssp", "soft.ssp")
    inode = os.stat("a.ssp").st_ino
    fmt("soft.ssp")
    expect(os.path.islink("soft.ssp"), "the symbolic link is a file")
    expect(os.stat("a.ssp").st_ino == os.stat("hard.ssp").st_ino == inode, "the hard link is broken")
    expect(read("hard.ssp") == NICE, "the hard link has other text")
    write("a.ssp", UGLY + "// " + "long " * 5000 + "\n")
    expect(run("fmt", "hard.ssp").returncode == 0 and len(read("a.ssp")) > 25000, "a longer file")
    write("a.ssp")
    fmt("hard.ssp")
    # Outputs, through a link that leads to nothing.
    os.mkdir("there")
    os.symlink("there/out.kir", "out.kir")
    done = run("build", "--target", "kir", "-o", "out.kir", os.path.join(ROOT, "examples", "saxpy.ssp"))
    expect(done.returncode == 0 and os.path.islink("out.kir") and os.path.exists("there/out.kir"), done.stderr)


def names():
    name = "a" * 251 + ".ssp"
    write(name)
    fmt(name)
    os.makedirs("d" * 255)
    write(os.path.join("d" * 255, name))
    fmt(os.path.join("d" * 255, name))
    write("k.ssp", read(os.path.join(ROOT, "examples", "saxpy.ssp")))
    for length in (240, 250):  # of NAME.json, 255
        done = run("build", "--target", "kir", "-o", "b" * length + ".kir", "k.ssp")
        expect(done.returncode == 0 and os.path.exists("b" * length + ".json"), done.stderr)
    done = run("run", "--profile", "p" * 255, "k.ssp")
    expect(done.returncode == 0 and os.path.exists("p" * 255), done.stderr)


def refusals():
    user = OTHER if os.getuid() == 0 else None
    os.mkdir("own")
    write("own/a.ssp", mode=0o444)
    os.chmod("own", 0o777)
    expect_refused("own/a.ssp", "sspur: cannot write own/a.ssp: Permission denied", user)
    write("own/b.ssp", mode=0o666)
    os.chmod("own", 0o555)
    expect_refused("own/b.ssp", "cannot write own/b.ssp: Permission denied (no file can be made beside it)", user)
    os.chmod("own", 0o755)
    # A folder that may be entered and written, and not listed, is enough.
    os.mkdir("blind")
    write("blind/a.ssp", mode=0o666)
    os.chmod("blind", 0o333)
    done = run("fmt", "blind/a.ssp", user=user)
    os.chmod("blind", 0o755)
    expect(done.returncode == 0 and read("blind/a.ssp") == NICE, done.stderr)


def full():
    """In a file system that is nearly full: room for the new text, none for the old one to grow."""
    text = "".join("fn f%d()->Int\n= %s\n" % (i, "+".join("1" for _ in range(500))) for i in range(24))
    write("a.ssp", text)
    os.link("a.ssp", "hard.ssp")
    page = os.statvfs(".").f_frsize
    free = os.statvfs(".").f_bavail
    with open("filler", "wb") as file:
        file.write(b"x" * page * (free - 13))
    expect_refused("hard.ssp", "cannot write hard.ssp: No space left on device", None)
    os.truncate("filler", 0)
    expect(run("fmt", "hard.ssp").returncode == 0 and read("a.ssp") != text, "it is not written")


case = sys.argv[2]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
os.umask(0o022)
NICE = subprocess.run([sspur, "fmt", "-"], input=UGLY, capture_output=True, text=True).stdout
expect(NICE and NICE != UGLY, "fmt changes nothing")
globals()[case]()
expect_clean()
