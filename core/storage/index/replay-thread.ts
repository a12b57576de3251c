import { parentPort, workerData } from 'node:worker_threads';
import { decodeRawLine } from '../../event/decode-raw-line.js';
import { Fault } from '../../event/fault.js';
import type { FingerprintValue } from '../../event/ids.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import { VALUE_LENGTH } from '../record/commit-fingerprints.js';
import { openDescribedIssues } from './described-issues.js';
import type { DescribedFailure, IndexedFailure } from './indexed-event.js';
import { packFailures } from './packed-failures.js';
import type { LinesMessage, ThreadTask } from './replay-threads.js';

const task: ThreadTask = workerData;

/** What a thread of `openReplayThreads` runs: answers each message with the packed failures of its lines, in the order of the messages. */
const { computeFingerprint }: { computeFingerprint(payload: RawPayload): Fingerprint } = await import(
  task.fingerprintModule
);

/** Of further events of an issue nothing is needed but what is counted. */
const described = openDescribedIssues(task.describedIssues);

parentPort?.on('message', (message: LinesMessage) => {
  const packed = packFailures(readFailures(message), message.ends.length, (place) => hasValue(message, place));
  parentPort?.postMessage(packed, [packed.numbers.buffer, packed.times.buffer]);
});

function* readFailures(message: LinesMessage): Generator<IndexedFailure | DescribedFailure | undefined> {
  const { ends, values, batch } = message;
  const bytes = Buffer.from(message.bytes.buffer);
  let start = 0;
  for (let place = 0; place < ends.length; place += 1) {
    const end = ends[place] ?? start;
    const value = values.slice(place * VALUE_LENGTH, (place + 1) * VALUE_LENGTH) as FingerprintValue;
    yield readFailure(bytes.toString('utf8', start, end), hasValue(message, place) ? value : undefined, batch);
    start = end;
  }
}

function hasValue({ values }: LinesMessage, place: number): boolean {
  return values[place * VALUE_LENGTH] !== ' ';
}

function readFailure(
  line: string,
  value: FingerprintValue | undefined,
  batch: number,
): IndexedFailure | DescribedFailure | undefined {
  try {
    const payload = decodeRawLine(line);
    if (value === undefined) return { payload, fingerprint: computeFingerprint(payload) };
    const { app, service } = payload;
    const isFirst = described.isFirst({ app, service, value }, batch);
    return { payload, fingerprint: isFirst ? computeFingerprint(payload) : { value, version: 0 } };
  } catch (error) {
    // Whoever asked reads it again and reports it.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
