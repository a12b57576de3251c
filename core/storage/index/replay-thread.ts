import { parentPort, workerData } from 'node:worker_threads';
import { createGrouper } from '../../fingerprint/grouper.js';
import { CommitBytes } from './commit-bytes.js';
import { openDescribedIssues } from './described-issues.js';
import { EventGroupers } from './event-groupers.js';
import { LinePacker } from './line-packer.js';
import type { CommitsMessage, ThreadTask } from './replay-threads.js';

const task: ThreadTask = workerData;

/** What a thread of `openReplayThreads` runs: answers each message with the packed lines of its commits, in the order of the messages. */
const groupers = new EventGroupers({ plan: task.plan, createGrouper });

/** Of further events of an issue nothing is needed but what is counted. */
const described = openDescribedIssues(task.describedIssues);
const commitBytes = new CommitBytes();

parentPort?.on('message', ({ batch, commits }: CommitsMessage) => {
  const packer = new LinePacker({ described, batch });
  for (const commit of commits) {
    const { grouper } = groupers.at(commit.receivedAtMicros, commit.storedVersion);
    const { values } = commit;
    packer.add(commitBytes.read(commit), { values, fingerprint: (payload) => grouper.fingerprint(payload) });
  }
  const packed = packer.finish();
  parentPort?.postMessage(packed, [packed.keys.buffer, packed.columns.buffer, packed.times.buffer]);
});
