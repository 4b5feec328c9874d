"""Namespaces without a network, with a temporary directory of their own."""

import fcntl
import os
import socket
import struct

from . import system

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18

PR_SET_NO_NEW_PRIVS = 38
PR_CAPBSET_DROP = 24
LAST_CAPABILITY = 63

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")


def enter(keep, nested=False):
    """Leaves the namespaces of the parent, but keeps some directories visible.

    Nested, the new ones belong to a single worker, and its children are numbered
    apart from all other processes.

    # Errors
    OSError, which names the step that the system does not allow.
    """
    if not system.IS_LINUX:
        raise OSError("namespaces exist on Linux only")
    if not nested and os.geteuid() != 0:
        become_root_of_own_users()
    unshare = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | (CLONE_NEWPID if nested else 0)
    system.checked("unshare", unshare)
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    kept = [(path, os.open(path, os.O_PATH)) for path in outermost(keep)]
    for directory in TEMPORARY:
        if os.path.isdir(directory) and not os.path.islink(directory):
            mount("tmpfs", directory, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    for path, opened in kept:
        if path.startswith(tuple(f"{directory}/" for directory in TEMPORARY)):
            os.makedirs(path, exist_ok=True)
            mount(f"/proc/self/fd/{opened}", path, None, MS_BIND | MS_REC)
        os.close(opened)
    start_loopback()
    for name in ("TMPDIR", "TEMP", "TMP"):
        os.environ.pop(name, None)


def finish():
    """The rest, which only the worker itself can do; then it cannot undo any of it."""
    try:
        # Without it, a worker sees the processes of others, and can do nothing to them.
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    except OSError:
        pass
    system.checked("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for capability in range(LAST_CAPABILITY + 1):
        try:
            system.checked("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:
            break
    # Version 3 of the header, this process; no capability in any of the three sets.
    system.checked("capset", struct.pack("<Ii", 0x20080522, 0), bytes(24))


def become_root_of_own_users():
    user, group = os.geteuid(), os.getegid()
    system.checked("unshare", CLONE_NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount(source, target, kind, flags, options=None):
    encoded = [None if text is None else text.encode() for text in (source, target, kind, options)]
    try:
        system.checked("mount", encoded[0], encoded[1], encoded[2], flags, encoded[3])
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror} ({target})") from None


def outermost(paths):
    """The directories, without those that are inside of another.

    Those behind links are there by both names: either may be what somebody opens.
    """
    names = (os.path.abspath, os.path.realpath)
    paths = sorted({name(path) for path in paths if os.path.exists(path) for name in names})
    return [
        path
        for path in paths
        if not any(path != other and path.startswith(other + "/") for other in paths)
    ]


def start_loopback():
    """Lets a worker talk to what it started itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        name = b"lo".ljust(16, b"\0")
        answer = fcntl.ioctl(control, SIOCGIFFLAGS, name + bytes(16))
        (flags,) = struct.unpack_from("<H", answer, 16)
        fcntl.ioctl(control, SIOCSIFFLAGS, name + struct.pack("<H", flags | IFF_UP) + bytes(14))
