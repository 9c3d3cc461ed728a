"""usage: servers.py RANDOM_KERNELS COMMAND_SERVER FOLDER PROGRAM: runs a program, one that ends its process, one without an
end, and the first again; prints the status of each."""
import os
import signal
import sys

sys.path.insert(0, sys.argv[1])
from command_servers import Servers

_, _, program, folder, path = sys.argv
servers = Servers(program, folder)
run = ["run", "--no-cache", "--device", "seq", path]


def signalled(number):
    """What happens to the process that waits for the next program."""
    (server,) = next(iter(servers.idle.values()))
    os.kill(server.process.pid, number)


def command(seconds=60):
    return servers.command("seq", os.environ, {}, run, seconds)


output, _, status = command()
print(status, output.count("\n"))
signalled(signal.SIGKILL)
print(command()[2])
command()
signalled(signal.SIGSTOP)
_, error, status = command(0.5)
print(status, error, end="")
output, _, status = command()
print(status, output.count("\n"))
servers.end()
