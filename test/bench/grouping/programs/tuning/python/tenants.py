# Checks what users of tenants may do.
# case allow role: read ada acme viewer delete | read bob-2 globex viewer publish | nested cy initech viewer 2 | nested dee acme viewer 4
# case allow suspended: read ada hooli admin delete | read eve hooli viewer read | nested fay hooli admin 1 | nested gus hooli owner 3
# case session expired: login 1699999999 ada | login 1500000000 ops@acme.test | refresh 1600000001 bob | refresh 12 cy
# case session token: login x91-7 ada | login 16999z bob | refresh token7 cy | refresh - dee
import contextlib
import functools
import sys

GRANTS = {"viewer": {"read"}, "admin": {"read", "delete", "publish"}, "owner": {"read"}}


class AccessDenied(PermissionError):
    @staticmethod
    def for_user(user, action, tenant):
        return AccessDenied(f"{user} may not {action} in {tenant}")


class SessionError(Exception):
    pass


def audited(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        finally:
            wrapper.calls = getattr(wrapper, "calls", 0) + 1

    return wrapper


@audited
def allow(user, tenant, role, action):
    if tenant == "hooli":
        raise AccessDenied(f"tenant {tenant} was suspended, {user} has to call support")
    if action not in GRANTS[role]:
        raise AccessDenied.for_user(user, action, tenant)


@contextlib.contextmanager
def session(token, user):
    try:
        issued = int(token)
    except ValueError:
        raise SessionError(f"malformed token {token} of {user}") from None
    if issued < 1_700_000_000:
        raise SessionError(f"session of {user} expired at {issued}")
    yield user


def nested(depth, *args):
    if depth:
        return nested(depth - 1, *args)
    return allow(*args, "publish")


def main(command, *args):
    if command == "read":
        allow(*args)
    elif command == "nested":
        nested(int(args[3]), *args[:3])
    elif command == "login":
        with session(*args) as user:
            print(user)
    else:
        with contextlib.ExitStack() as stack:
            stack.enter_context(session(*args))


main(*sys.argv[1:])
