import type { Logger } from 'pino';
import { readPages } from '../../../core/contract/read-pages.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import type { Fault } from '../../../core/event/fault.js';
import type { PayloadParser } from '../../../core/event/validate/payload-reader.js';
import { printValue } from '../../../core/query/print-query.js';
import { untilDone } from '../../component/until-done.js';
import { toFault } from '../../http/messages/problem.js';
import type { Intake, MappedRecord, RecordOutcome } from '../intake/intake.js';
import type { CheckpointFile, FileCheckpoint } from './checkpoint-file.js';
import { locationKeyOf, locationOf, type PendingRecord, toMappedRecord } from './file-record.js';

/** Newest events of a service that are searched, in addition to the number of pending records. */
const SEARCHED_EVENTS = 5_000;

/** Newest events of all services that one search scans. */
const SCANNED_EVENTS = 100_000;
const PAGE_EVENTS = 500;

/** Waiting times between two tries, milliseconds. */
export interface RetryWaits {
  readonly firstMs: number;
  readonly longestMs: number;
}

interface RecordDeliveryOptions {
  readonly intake: Intake;
  readonly logger: Logger;
  readonly waits: RetryWaits;
  /** Ends the waiting between two tries. */
  readonly stop: AbortSignal;
  readonly checkpointFile: CheckpointFile;
  readonly reader: () => FailureReader;
}

/** Forwards sets of records; the checkpoint first names them, so that after a kill the store is searched for these records only. */
export class RecordDelivery {
  readonly #options: RecordDeliveryOptions;
  #pending: readonly PendingRecord[] = [];
  #running: Promise<void> | undefined;

  constructor(options: RecordDeliveryOptions) {
    this.#options = options;
  }

  /** Records that may not be stored; a checkpoint must contain them. */
  get pending(): readonly PendingRecord[] {
    return this.#pending;
  }

  /** Resolves when the current set is accepted or the stop ended it; undefined without one. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts to forward records; `files` are the offsets after them. Must not overlap. */
  begin(records: readonly PendingRecord[], files: readonly FileCheckpoint[]): void {
    const { checkpointFile } = this.#options;
    this.#run(records, async () => {
      const write = () => checkpointFile.write({ files, pending: records });
      if (await retryUntilDone(this.#options, write)) await this.#deliver(records);
    });
  }

  /** Starts to forward the records that a killed process did not store. Must not overlap. */
  resume(records: readonly PendingRecord[]): void {
    const { intake, reader } = this.#options;
    this.#run(records, async () => {
      let missing: readonly PendingRecord[] = [];
      const search = async (): Promise<void> => {
        missing = await recordsNotStored(records, intake.payloads, reader());
      };
      if (await retryUntilDone(this.#options, search)) await this.#deliver(missing);
    });
  }

  #run(records: readonly PendingRecord[], work: () => Promise<void>): void {
    this.#pending = records;
    this.#running = work().finally(() => {
      this.#running = undefined;
    });
  }

  /** Forwards records until all have an outcome; one by one after a permanent refusal. */
  async #deliver(records: readonly PendingRecord[]): Promise<void> {
    const mapped = records.map(toMappedRecord);
    const outcomes: RecordOutcome[] = [];
    let isOneByOne = false;
    const isDone = await retryUntilDone(this.#options, async () => {
      if (!isOneByOne && (await this.#accept(mapped, outcomes)) === undefined) return;
      isOneByOne = true;
      while (outcomes.length < records.length) {
        const index = outcomes.length;
        const refusal = await this.#accept(mapped.slice(0, index + 1), outcomes);
        if (refusal === undefined) continue;
        // It would block its file.
        const place = locationOf(records[index]?.value['extra']);
        this.#options.logger.error({ err: refusal, place }, 'a failure from a log file was refused for good');
        outcomes.push({ kind: 'dropped', as: 'filtered' });
      }
    });
    if (isDone) this.#pending = [];
  }

  /** Forwards the records without an outcome. Returns the fault if they are refused for good, and throws it if a retry can help. */
  async #accept(records: readonly MappedRecord[], outcomes: RecordOutcome[]): Promise<Fault | undefined> {
    try {
      await this.#options.intake.accept(records, outcomes, 'local');
      return undefined;
    } catch (error) {
      const fault = toFault(error);
      if (fault.retryable) throw fault;
      return fault;
    }
  }
}

/** Retries until the work succeeds; warns once. Returns false if `stop` came first. */
async function retryUntilDone(
  { logger, waits: { firstMs, longestMs }, stop }: RecordDeliveryOptions,
  work: () => Promise<void>,
): Promise<boolean> {
  let failures = 0;
  const onFailure = (error: unknown): void => {
    failures += 1;
    if (failures === 1) logger.warn({ err: error }, 'failures from log files are refused; reading waits');
  };
  const done = await untilDone(() => work().then(() => true), { stop, firstMs, longestMs, onFailure });
  if (done && failures > 0) logger.info('failures from log files are taken again');
  return done === true;
}

/** Returns the records that the store lacks. Searches the newest events by service, because the grouping rules may have changed. */
async function recordsNotStored(
  records: readonly PendingRecord[],
  payloads: PayloadParser,
  reader: FailureReader,
): Promise<PendingRecord[]> {
  const services = new Map<string, Set<string>>();
  const located = records.map((record) => {
    const reading = payloads.parse(record.value);
    const key = locationKeyOf(record.value['extra']);
    if (!reading.ok || key === undefined) return { record };
    const { app, service } = reading.payload;
    const query = `app:${printValue(app, 'text')} service:${printValue(service, 'text')}`;
    const pending = services.get(query) ?? new Set();
    services.set(query, pending.add(key));
    return { record, query, key };
  });
  const stored = new Map<string, Set<string>>();
  for (const [query, keys] of services) {
    stored.set(query, await storedOf(keys, query, reader, SEARCHED_EVENTS + records.length));
  }
  return located
    .filter(({ query, key }) => query === undefined || key === undefined || stored.get(query)?.has(key) !== true)
    .map(({ record }) => record);
}

/** Returns the wanted location keys among the newest events that match the query. */
async function storedOf(
  wanted: ReadonlySet<string>,
  query: string,
  reader: FailureReader,
  events: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  let left = events;
  for await (const page of readPages((cursor) => reader.searchEvents({ query, limit: PAGE_EVENTS, cursor }))) {
    left -= page.events.length;
    for (const { event_id } of page.events) {
      const key = locationKeyOf((await reader.getEvent(event_id))?.raw.payload.extra);
      if (key !== undefined && wanted.has(key)) found.add(key);
    }
    if (left <= 0 || found.size === wanted.size || page.scanned.events > SCANNED_EVENTS) break;
  }
  return found;
}
