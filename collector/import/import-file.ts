import type { Readable } from 'node:stream';
import { messageOf } from '../../core/event/fault.js';
import { hasTooManyMembers } from '../../core/event/member-counter.js';
import { encodeRawLine } from '../../core/event/raw-line.js';
import { tooManyMembers } from '../../core/event/validate/payload-check.js';
import type { PayloadParser } from '../../core/event/validate/payload-reader.js';
import type { RejectedPayload } from '../../core/storage/dead-letters/dead-letter.js';
import type { EventStore } from '../../core/storage/event-store.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../component/consumer.js';
import { type ImportedLine, readImportedLines } from './imported-lines.js';
import { batchIdPrefix, type ImportedEvent, missingEvents, readImportedRanges } from './missing-events.js';

/** The receiver in dead letters. */
const RECEIVER = 'import';

/** One line that did not become an event. */
export interface ImportRejection {
  /** One-based, as editors count. */
  readonly line: number;
  readonly field: string;
  readonly reason: string;
}

/** Counts for one file. */
export interface ImportCounts {
  stored: number;
  /** Stored by an earlier run with the same id. */
  alreadyStored: number;
  rejected: number;
}

interface ImportFileOptions {
  store: EventStore;
  reader: PayloadParser;
  input: Readable;
  /** Names the file in batch ids. */
  file: string;
  importId: string;
  /** Lines that recovery adopted from an interrupted run, with their number; removed when found again. */
  recovered: Map<string, number>;
  maxLineBytes: number;
  maxMembers: number;
  /** Aborted to stop after the current batch. */
  signal: AbortSignal;
  onRejected: (rejection: ImportRejection) => void;
  onProgress: (readBytes: number, counts: ImportCounts) => void;
}

/** Stores the events of one file in batches that name their lines, and skips what an earlier run stored; rejected lines go to the dead letters. */
export async function importFile(options: ImportFileOptions): Promise<ImportCounts> {
  const prefix = batchIdPrefix(options.importId, options.file);
  const known = await readImportedRanges(options.store.findBatches(prefix), prefix);
  const counts: ImportCounts = { stored: 0, alreadyStored: 0, rejected: 0 };
  let first = 0;
  let lines: ImportedLine[] = [];
  let bytes = 0;

  const flush = async (): Promise<void> => {
    const last = lines.at(-1);
    if (last === undefined) return;
    const range = known.get(first);
    const rejected: RejectedPayload[] = [];
    const events = lines.flatMap((line) => readEvent(line, options, counts, rejected));
    if (range === undefined) await options.store.reject(RECEIVER, rejected);
    const { recovered, store } = options;
    const missing = await missingEvents(events, { range, recovered, linesOf: (batch) => store.batchLines(batch) });
    counts.alreadyStored += events.length - missing.length;
    if (missing.length > 0) {
      const { grouper } = options.store;
      const batch = missing.map((event) => ({ ...event, fingerprint: grouper.fingerprint(event.payload) }));
      const batchId = `${prefix}${first}-${last.number + 1}`;
      await options.store.append(batch, { batchId, groupedBy: grouper.key, origin: 'local' });
      counts.stored += missing.length;
    }
    options.onProgress(last.readBytes, counts);
    first = last.number + 1;
    lines = [];
    bytes = 0;
  };

  for await (const line of readImportedLines(options.input, options.maxLineBytes)) {
    // The input reuses its chunks, so pending lines are copied.
    lines.push({ ...line, bytes: line.bytes && Buffer.from(line.bytes) });
    bytes += line.bytes?.length ?? 0;
    const knownEnd = known.get(first)?.end;
    const isFull =
      knownEnd === undefined
        ? lines.length >= MAX_BATCH_EVENTS || bytes >= MAX_BATCH_BYTES
        : line.number + 1 === knownEnd;
    if (isFull) await flush();
    if (options.signal.aborted) return counts;
  }
  await flush();
  return counts;
}

function readEvent(
  line: ImportedLine,
  options: ImportFileOptions,
  counts: ImportCounts,
  rejected: RejectedPayload[],
): ImportedEvent[] {
  const reject = (code: string, field: string, reason: string): [] => {
    counts.rejected += 1;
    options.onRejected({ line: line.number + 1, field, reason });
    const payload = line.bytes === undefined ? { bytes: null } : { received: line.bytes, bytes: line.bytes.length };
    rejected.push({ code, field, reason, ...payload });
    return [];
  };
  if (line.bytes === undefined) return reject('EVENT_TOO_LARGE', '', `is longer than ${options.maxLineBytes} bytes`);
  const text = line.bytes.toString('utf8').trim();
  if (text === '') return [];
  if (hasTooManyMembers(line.bytes, options.maxMembers))
    return reject('EVENT_TOO_MANY_MEMBERS', '', tooManyMembers(options.maxMembers));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return reject('MALFORMED_JSON', '', `is not JSON: ${messageOf(error)}`);
  }
  const reading = options.reader.parse(value);
  if (!reading.ok) {
    const { code, field, reason } = reading.rejection;
    return reject(code, field, reason);
  }
  return [{ payload: reading.payload, encoded: encodeRawLine(reading.payload) }];
}
