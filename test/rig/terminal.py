"""Runs a command on a pseudo-terminal of the given size and prints what it writes, bytes as they are. $TYPED is typed ahead, then
what comes on stdin; a line `resize ROWS COLUMNS` there changes the size instead."""
import fcntl, os, pty, select, struct, sys, termios

rows, columns, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


pid, terminal = pty.fork()
if pid == 0:
    resize(0, rows, columns)  # before the program asks for it
    os.execvp(command[0], command)

os.write(terminal, os.environ.get("TYPED", "").encode())
sources = [terminal, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 65536)
        if not typed:
            sources.remove(0)
        elif typed.startswith(b"resize "):
            resize(terminal, *map(int, typed.split()[1:3]))
        else:
            os.write(terminal, typed)
    if terminal not in ready:
        continue
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
