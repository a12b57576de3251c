// Runs jobs side by side; a job that takes too long is aborted.
// case start missing: once httpd 1 | once com.acme.backup 1 | all mailer 3 | all rsync_2 2
// case start disabled: once cleanup 7 | once import 12 | all cleanup 9 | all import 30
// case wait late: wait nightly 5 | wait mail-7 3 | nested report 4 | nested rsync 9
// case wait result: result nightly 5 | result cron.9 8 | deep x-ray 3 | deep sum 6
import { setTimeout as sleep } from 'node:timers/promises';

class JobError extends Error {
  static {
    JobError.prototype.name = 'JobError';
  }

  constructor(job, reason, cause) {
    super(`job (${job}) ${reason}`, cause === undefined ? {} : { cause });
  }
}

async function start(job, release) {
  if (!['cleanup', 'import'].includes(job)) throw new JobError(job, 'does not exist');
  throw new JobError(job, `is disabled since release ${release}`);
}

async function wait(job, limit, work) {
  try {
    return JSON.parse(await work(AbortSignal.timeout(limit)));
  } catch (error) {
    if (error.name === 'AbortError') throw new JobError(job, `did not end within ${limit} ms`, error);
    throw new JobError(job, 'returned an unreadable result', error);
  }
}

function nested(depth, ...args) {
  return depth > 0 ? nested(depth - 1, ...args) : wait(...args);
}

const [command, job, text] = process.argv.slice(2);
const number = Number(text);
const forever = (signal) => sleep(5_000, '0', { signal });
const broken = async () => `{"job": ${job}`;
const commands = {
  once: () => start(job, number),
  all: () => Promise.all([start(job, number), sleep(1)]),
  wait: () => wait(job, number, forever),
  nested: () => nested(number, job, number + 2, forever),
  result: () => wait(job, number, broken),
  deep: () => nested(number, job, 500, broken),
};
await commands[command]();
