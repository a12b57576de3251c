# Runs jobs side by side and gives each one a time limit.
# case start missing: once httpd | once com.acme.backup | all mailer,nightly-report | all rsync_2
# case start disabled: once cleanup | once import | all cleanup | all import,cleanup
# case collect late: wait cleanup 2 | wait import 1 | chain import 3 | chain cleanup 5
# case collect result: parse 12,x3 | parse 4,5,six | chained 7,? 2 | chained n/a 4
import asyncio
import sys

JOBS = {"cleanup": False, "import": False}


class JobError(Exception):
    pass


class JobTimeout(JobError):
    def __init__(self, job, seconds):
        JobError.__init__(self, f"job ({job}) did not finish within {seconds}s")


async def start(job):
    await asyncio.sleep(0)
    if job not in JOBS:
        raise JobError(f"no such job ({job})")
    if not JOBS[job]:
        raise JobError(f"job ({job}) is disabled since release 2024.{len(job)}")
    return job


async def forever():
    await asyncio.Event().wait()


async def collect(name, work, seconds):
    try:
        result = await asyncio.wait_for(work, 0.01)
    except asyncio.TimeoutError:
        raise JobTimeout(name, seconds)
    return sum(int(part) for part in result.split(","))


async def echo(text):
    return text


async def chain(depth, name, make):
    if depth > 0:
        return await chain(depth - 1, name, make)
    return await collect(name, make(), 30 + len(name))


async def run_all(names):
    return await asyncio.gather(*(start(name) for name in names.split(",")))


def main(command, first, second="0"):
    works = {
        "once": lambda: start(first),
        "all": lambda: run_all(first),
        "wait": lambda: collect(first, forever(), int(second)),
        "chain": lambda: chain(int(second), first, forever),
        "parse": lambda: collect("sum", echo(first), 1),
        "chained": lambda: chain(int(second), "sum", lambda: echo(first)),
    }
    asyncio.run(works[command]())


main(*sys.argv[1:])
