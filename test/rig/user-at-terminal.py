"""Runs a command as a user would: on a pseudo-terminal, below no agent. Types the first argument, prints what is shown."""
import os, pty, sys

typed, command = sys.argv[1].encode(), sys.argv[2:]
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)  # what runs the tests is no ancestor of the command any more
    pid, terminal = pty.fork()
    if pid == 0:
        os.close(reader)
        os.close(writer)
        os.execvp(command[0], command)
    shown = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
        if typed and b"(y/N):" in shown:
            os.write(terminal, typed + b"\n")
            typed = b""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.write(writer, shown.replace(b"\r\n", b"\n")[-60000:] + b"\n%d" % code)
    os._exit(0)
os.close(writer)
os.wait()
output = b""
while chunk := os.read(reader, 65536):
    output += chunk
shown, _, code = output.rpartition(b"\n")
sys.stdout.buffer.write(shown)
sys.exit(int(code or 1))
