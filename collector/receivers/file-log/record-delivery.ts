import type { Logger } from 'pino';
import { readPages } from '../../../core/contract/read-pages.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import type { PayloadParser } from '../../../core/event/validate/payload-reader.js';
import { printValue } from '../../../core/query/print-query.js';
import { untilDone } from '../../component/until-done.js';
import { toFault } from '../../http/messages/problem.js';
import type { Intake, RecordOutcome } from '../intake/intake.js';
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
export type RecordDelivery = ReturnType<typeof createRecordDelivery>;

/** Creates a delivery without records. */
export function createRecordDelivery(options: RecordDeliveryOptions) {
  const { intake, checkpointFile, reader, logger } = options;
  let pending: readonly PendingRecord[] = [];
  let running: Promise<void> | undefined;

  /** Forwards records until all are accepted; after a permanent refusal one by one, and drops the refused one, which would block its file. */
  async function deliver(records: readonly PendingRecord[]): Promise<void> {
    const mapped = records.map(toMappedRecord);
    const outcomes: RecordOutcome[] = [];
    let isOneByOne = false;
    const isDone = await retryUntilDone(options, async () => {
      while (outcomes.length < mapped.length) {
        const end = isOneByOne ? outcomes.length + 1 : mapped.length;
        try {
          await intake.accept(mapped.slice(0, end), outcomes, 'local');
        } catch (error) {
          const fault = toFault(error);
          if (fault.retryable) throw fault;
          if (isOneByOne) {
            const place = locationOf(records[outcomes.length]?.value['extra']);
            logger.error({ err: error, place }, 'a failure from a log file was refused for good');
            outcomes.push({ kind: 'dropped', as: 'filtered' });
          }
          isOneByOne = true;
        }
      }
    });
    if (isDone) pending = [];
  }

  function run(records: readonly PendingRecord[], work: () => Promise<void>): void {
    pending = records;
    running = work().finally(() => {
      running = undefined;
    });
  }

  return {
    /** Records that may not be stored; a checkpoint must contain them. */
    get pending() {
      return pending;
    },
    /** Resolves when the current set is accepted or the stop ended it; undefined without one. */
    get running() {
      return running;
    },

    /** Starts to forward records; `files` are the offsets after them. Must not overlap. */
    begin(records: readonly PendingRecord[], files: readonly FileCheckpoint[]): void {
      run(records, async () => {
        const intent = { files, pending: records };
        if (await retryUntilDone(options, () => checkpointFile.write(intent))) await deliver(records);
      });
    },

    /** Starts to forward the records that a killed process did not store. Must not overlap. */
    resume(records: readonly PendingRecord[]): void {
      run(records, async () => {
        let missing: readonly PendingRecord[] = [];
        const isKnown = await retryUntilDone(options, async () => {
          missing = await recordsNotStored(records, intake.payloads, reader());
        });
        if (isKnown) await deliver(missing);
      });
    },
  };
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
  const named = records.map((record) => {
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
  return named
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
