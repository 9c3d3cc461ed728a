"""Processes of `command-server` (utils/dev/server), each with a device that stays open: what opening one costs is most of
the time of a small program."""
import os
import select
import subprocess
import tempfile
import threading
import time

REQUESTS = 300  # of a process: what drivers keep of programs grows


class Server:
    def __init__(self, program, device, environment, folder):
        self.requests = 0
        self.folder = tempfile.mkdtemp(prefix="server-", dir=folder)
        self.output, self.error = (os.path.join(self.folder, name) for name in ("out", "err"))
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen([program, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            env=environment, cwd=folder)

    def command(self, arguments, seconds):
        """Standard output, standard error, status, as of a process of its own. The server has ended where the status is
        None (no end in that time) or negative (a signal)."""
        self.requests += 1
        for path in (self.output, self.error):
            open(path, "wb").close()
        status = None
        try:
            self.process.stdin.write(("\t".join([self.output, self.error, *arguments]) + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.answer(time.monotonic() + seconds)
        if line is None:
            self.end()
            return "", f"no end after {seconds} s\n", None
        status = int(line) if line else self.ended()
        return self.text(self.output), self.text(self.error), status

    def answer(self, until):
        """The line of the status; empty: the process ended; None: it did not in time."""
        line = b""
        while not line.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 64)
            if not more:
                return b""
            line += more
        return line

    def ended(self):
        """How it ended without an answer: as a command of its own would have."""
        status = self.process.wait()
        if status == 2 and not self.text(self.error):
            with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
                raise SystemExit(f"random_kernels: {log.read().strip()}")
        return status

    def text(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def is_usable(self):
        return self.process.poll() is None and self.requests < REQUESTS

    def end(self):
        self.process.kill()
        self.process.communicate()


class Servers:
    """One a device, environment and job, made when they are wanted."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.lock = threading.Lock()
        self.idle = {}

    def command(self, device, environment, more, arguments, seconds):
        """`more` tells apart environments of one device."""
        key = (device, tuple(sorted(more.items())))
        with self.lock:
            waiting = self.idle.setdefault(key, [])
            server = waiting.pop() if waiting else None
        server = server or Server(self.program, device, environment, self.folder)
        result = server.command(arguments, seconds)
        if server.is_usable():
            with self.lock:
                self.idle[key].append(server)
        else:
            server.end()
        return result

    def end(self):
        with self.lock:
            for servers in self.idle.values():
                for server in servers:
                    server.end()
            self.idle = {}
