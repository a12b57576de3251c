import { parentPort, workerData } from 'node:worker_threads';
import { decodeRawLine } from '../../event/decode-raw-line.js';
import { Fault } from '../../event/fault.js';
import type { FingerprintValue } from '../../event/ids.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import { ownCopy } from '../../own-copy.js';
import { VALUE_LENGTH } from '../record/commit-fingerprints.js';
import type { DescribedFailure, IndexedFailure } from './indexed-event.js';
import { packFailures } from './packed-failures.js';
import type { LinesMessage } from './replay-threads.js';

/** What a thread of `openReplayThreads` runs: answers each message with the packed failures of its lines, in the order of the messages. */
const { computeFingerprint }: { computeFingerprint(payload: RawPayload): Fingerprint } = await import(workerData);

/** Fingerprints of the issues that this thread has described, by app and service: of their further events nothing is needed but what is counted. */
const described = new Map<string, Set<FingerprintValue>>();

parentPort?.on('message', (message: LinesMessage) => {
  const packed = packFailures(readFailures(message), message.ends.length, (place) => hasValue(message, place));
  parentPort?.postMessage(packed, [packed.numbers.buffer, packed.times.buffer]);
});

function* readFailures(message: LinesMessage): Generator<IndexedFailure | DescribedFailure | undefined> {
  const { bytes, ends, values } = message;
  let start = 0;
  for (const [place, end] of ends.entries()) {
    const value = values.slice(place * VALUE_LENGTH, (place + 1) * VALUE_LENGTH) as FingerprintValue;
    yield readFailure(bytes.subarray(start, end), hasValue(message, place) ? value : undefined);
    start = end;
  }
}

function hasValue({ values }: LinesMessage, place: number): boolean {
  return values[place * VALUE_LENGTH] !== ' ';
}

function readFailure(
  line: Uint8Array,
  value: FingerprintValue | undefined,
): IndexedFailure | DescribedFailure | undefined {
  try {
    const payload = decodeRawLine(line);
    if (value === undefined) return { payload, fingerprint: computeFingerprint(payload) };
    // Where two issues have the same names joined, whoever asked describes the second one.
    const names = `${payload.app}\n${payload.service}`;
    const known = described.get(names) ?? new Set();
    if (known.has(value)) return { payload, fingerprint: { value, version: 0 } };
    described.set(names, known.add(ownCopy(value)));
    return { payload, fingerprint: computeFingerprint(payload) };
  } catch (error) {
    // Whoever asked reads it again and reports it.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
