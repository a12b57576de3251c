import type { Readable } from 'node:stream';
import { Fault, messageOf } from '../../core/event/fault.js';
import { encodeRawLine } from '../../core/event/raw-line.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import type { PayloadParser } from '../../core/event/validate/payload-reader.js';
import type { RejectedPayload } from '../../core/storage/dead-letters/dead-letter.js';
import type { EventStore } from '../../core/storage/event-store.js';
import { finishNow } from '../../core/time-slice.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../component/consumer.js';
import { parseThinned } from '../receivers/intake/parse-steps.js';
import { type ImportedLine, readImportedLines } from './imported-lines.js';
import {
  batchIdPrefix,
  type ImportedEvent,
  type ImportedRange,
  missingEvents,
  readImportedRanges,
} from './missing-events.js';

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
  const importedRanges = await readImportedRanges(options.store.findBatches(prefix), prefix);
  return await new FileImport(options, prefix, importedRanges).run();
}

class FileImport {
  readonly #options: ImportFileOptions;
  readonly #batchIdPrefix: string;
  /** What earlier runs stored, by the first line. */
  readonly #importedRanges: ReadonlyMap<number, ImportedRange>;
  readonly #counts: ImportCounts = { stored: 0, alreadyStored: 0, rejected: 0 };
  /** Number of the first line of the next batch. */
  #firstLine = 0;
  #lines: ImportedLine[] = [];
  #bytes = 0;

  constructor(options: ImportFileOptions, prefix: string, importedRanges: ReadonlyMap<number, ImportedRange>) {
    this.#options = options;
    this.#batchIdPrefix = prefix;
    this.#importedRanges = importedRanges;
  }

  async run(): Promise<ImportCounts> {
    const { input, maxLineBytes, signal } = this.#options;
    for await (const line of readImportedLines(input, maxLineBytes)) {
      // The input reuses its chunks, so pending lines are copied.
      this.#lines.push({ ...line, bytes: line.bytes && Buffer.from(line.bytes) });
      this.#bytes += line.bytes?.length ?? 0;
      if (this.#isFull(line)) await this.#storeBatch();
      if (signal.aborted) return this.#counts;
    }
    await this.#storeBatch();
    return this.#counts;
  }

  /** A batch that an earlier run began with the same line ends with the same line. */
  #isFull(line: ImportedLine): boolean {
    const range = this.#importedRanges.get(this.#firstLine);
    if (range !== undefined) return line.number + 1 === range.end;
    return this.#lines.length >= MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
  }

  async #storeBatch(): Promise<void> {
    const last = this.#lines.at(-1);
    if (last === undefined) return;
    const { store, recovered, onProgress } = this.#options;
    const range = this.#importedRanges.get(this.#firstLine);
    const rejected: RejectedPayload[] = [];
    const events = this.#lines.flatMap((line) => this.#readEvent(line, rejected) ?? []);
    if (range === undefined) await store.reject(RECEIVER, rejected);
    const missing = await missingEvents(events, { range, recovered, linesOf: (batch) => store.batchLines(batch) });
    this.#counts.alreadyStored += events.length - missing.length;
    await this.#append(missing, last);
    onProgress(last.readBytes, this.#counts);
    this.#firstLine = last.number + 1;
    this.#lines = [];
    this.#bytes = 0;
  }

  async #append(events: readonly ImportedEvent[], last: ImportedLine): Promise<void> {
    if (events.length === 0) return;
    const { store } = this.#options;
    const { grouper } = store;
    const batch = events.map((event) => ({ ...event, fingerprint: grouper.fingerprint(event.payload) }));
    const batchId = `${this.#batchIdPrefix}${this.#firstLine}-${last.number + 1}`;
    await store.append(batch, { batchId, groupedBy: grouper.key, origin: 'local' });
    this.#counts.stored += events.length;
  }

  /** Returns the event of a line; undefined for a blank line, and for one that is added to `rejected`. */
  #readEvent(line: ImportedLine, rejected: RejectedPayload[]): ImportedEvent | undefined {
    const reading = readLine(line, this.#options);
    if (reading === undefined) return undefined;
    if (reading.ok) return { payload: reading.payload, encoded: encodeRawLine(reading.payload) };
    const { code, field, reason } = reading.rejection;
    const content = line.bytes === undefined ? { bytes: null } : { received: line.bytes, bytes: line.bytes.length };
    this.#counts.rejected += 1;
    this.#options.onRejected({ line: line.number + 1, field, reason });
    rejected.push({ code, field, reason, ...content });
    return undefined;
  }
}

type LineReading =
  | { readonly ok: true; readonly payload: RawPayload }
  | { readonly ok: false; readonly rejection: Pick<RejectedPayload, 'code' | 'field' | 'reason'> };

type LineReader = Pick<ImportFileOptions, 'maxLineBytes' | 'maxMembers' | 'reader'>;

/** Undefined for a blank line. */
function readLine({ bytes }: ImportedLine, { maxLineBytes, maxMembers, reader }: LineReader): LineReading | undefined {
  if (bytes === undefined) return rejected('EVENT_TOO_LARGE', `is longer than ${maxLineBytes} bytes`);
  const text = Buffer.from(bytes.toString('utf8').trim());
  if (text.length === 0) return undefined;
  try {
    const { value, leftOut } = finishNow(parseThinned(text, maxMembers));
    return reader.parse(value, leftOut);
  } catch (error) {
    if (error instanceof Fault) return rejected(error.code, error.message);
    return rejected('MALFORMED_JSON', `is not JSON: ${messageOf(error)}`);
  }
}

function rejected(code: string, reason: string): LineReading {
  return { ok: false, rejection: { code, field: '', reason } };
}
