# A client of an HTTP service with retries; the transport is simulated.
# case request status: get /users/17 503 | get /v2/orders/ab12 502 | sync /items 500 3 | sync /users/9/tags 504 2
# case request body: get /health broken | get /users/3 empty | sync /orders/8 broken 1 | sync /items empty 4
# case connect refused: dial db-1.internal 5432 | dial cache 6379 | pool 10.0.0.7 8080 2 | pool web.example.org 443 3
# case connect resolve: dial nowhere.invalid 80 | dial x7.invalid 8080 | pool mail.invalid 25 1 | pool api.eu.invalid 443 2
import json
import sys

BODIES = {"broken": '{"id": 17, "name": ', "empty": ""}


class ApiError(Exception):
    def __init__(self, message, path, status=None):
        note = "" if status is None else f" (status {status})"
        super().__init__(f"{path}: {message}{note}")
        self.status = status


class ConnectFailed(OSError):
    pass


def request(path, answer):
    if answer.isdigit():
        raise ApiError("the service is unavailable", path, int(answer))
    try:
        return json.loads(BODIES[answer])
    except json.JSONDecodeError as error:
        raise ApiError("unreadable body", path) from error


def connect(host, port):
    if host.endswith(".invalid"):
        raise ConnectFailed(f"cannot resolve {host}")
    raise ConnectFailed(111, f"connection to {host}:{port} refused")


def retrying(times, action):
    try:
        return action()
    except ApiError:
        if times == 0:
            raise
    return retrying(times - 1, action)


class Pool:
    def __init__(self, host, port):
        self.open = lambda: connect(host, port)

    def fill(self, size):
        return [self.open() for _ in range(size)]


def main(command, first, second, third="1"):
    if command == "get":
        request(first, second)
    elif command == "sync":
        retrying(int(third), lambda: request(first, second))
    elif command == "dial":
        connect(first, int(second))
    else:
        Pool(first, int(second)).fill(int(third))


main(*sys.argv[1:])
