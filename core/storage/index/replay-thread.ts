import { parentPort, workerData } from 'node:worker_threads';
import { decodeRawLine } from '../../event/decode-raw-line.js';
import { Fault } from '../../event/fault.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import type { IndexedFailure } from './indexed-event.js';
import { packFailures } from './packed-failures.js';
import type { LinesMessage } from './replay-threads.js';

/** What a thread of `openReplayThreads` runs: answers each message with the packed failures of its lines, in the order of the messages. */
const { computeFingerprint }: { computeFingerprint(payload: RawPayload): Fingerprint } = await import(workerData);
parentPort?.on('message', ({ bytes, ends }: LinesMessage) => {
  const failures: (IndexedFailure | undefined)[] = [];
  let start = 0;
  for (const end of ends) {
    failures.push(readFailure(bytes.subarray(start, end)));
    start = end;
  }
  const packed = packFailures(failures);
  parentPort?.postMessage(packed, [packed.numbers.buffer]);
});

function readFailure(line: Uint8Array): IndexedFailure | undefined {
  try {
    const payload = decodeRawLine(line);
    return { payload, fingerprint: computeFingerprint(payload) };
  } catch (error) {
    // Whoever asked reads it again and reports it.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
