# Copies files to a backup and verifies them.
# case copy missing: save /nonexistent/db-7.sqlite | save /nonexistent/a/notes.txt | tree /nonexistent/shop 2 | tree /nonexistent/var/mail-2024 3
# case copy folder: save /tmp | save /usr/bin | tree /etc 1 | tree /var 4
# case verify digest: check hello 9f86d0 | check order-17 00aa | nightly stock ffee12 | nightly a1 beef
# case verify empty: check - 9f86d0 | check - 11 | nightly - e3b0 | nightly - 77aa
import hashlib
import sys


class BackupFailed(Exception):
    """What a person reads; the cause says why."""


class VerifyError(BackupFailed):
    def __init__(self, name, *, expected=None, found=None):
        self.name = name
        if expected is None:
            super().__init__(f"backup '{name}' is empty")
        else:
            super().__init__(f"backup '{name}': expected digest {expected}, found {found}")


def copy(path):
    try:
        with open(path, "rb") as source:
            return source.read()
    except FileNotFoundError as error:
        raise BackupFailed(f"cannot back up {path}") from error


def verify(name, content, digest):
    if not content:
        raise VerifyError(name)
    found = hashlib.sha256(content.encode()).hexdigest()
    if not found.startswith(digest):
        raise VerifyError(name, expected=digest, found=found[:12])


def tree(path, depth):
    if depth == 0:
        return copy(path)
    return tree(path, depth - 1)


def nightly(content, digest):
    for day in ("mon", "tue"):
        verify(f"{day}-{digest}", content, digest)


def main(command, first, second=""):
    content = "" if first == "-" else first
    if command == "save":
        copy(first)
    elif command == "tree":
        tree(first, int(second))
    elif command == "check":
        verify(f"daily-{second}", content, second)
    else:
        nightly(content, second)


main(*sys.argv[1:])
