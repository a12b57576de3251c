import { parentPort, workerData } from 'node:worker_threads';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import { CommitBytes } from './commit-bytes.js';
import { openDescribedIssues } from './described-issues.js';
import { LinePacker } from './line-packer.js';
import type { CommitsMessage, ThreadTask } from './replay-threads.js';

const task: ThreadTask = workerData;

/** What a thread of `openReplayThreads` runs: answers each message with the packed lines of its commits, in the order of the messages. */
const { computeFingerprint }: { computeFingerprint(payload: RawPayload): Fingerprint } = await import(
  task.fingerprintModule
);

/** Of further events of an issue nothing is needed but what is counted. */
const described = openDescribedIssues(task.describedIssues);
const commitBytes = new CommitBytes();

parentPort?.on('message', ({ batch, commits }: CommitsMessage) => {
  const packer = new LinePacker({ fingerprint: computeFingerprint, described, batch });
  for (const commit of commits) packer.add(commitBytes.read(commit), commit.values);
  const packed = packer.finish();
  parentPort?.postMessage(packed, [packed.keys.buffer, packed.columns.buffer, packed.times.buffer]);
});
