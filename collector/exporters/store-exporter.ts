import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { parseDuration } from '../../config/values/duration.js';
import { parseSize } from '../../config/values/size.js';
import type { FingerprintedEvent, KnownGrouping, ReceivedEvent } from '../../core/contract/stages.js';
import { Fault } from '../../core/event/fault.js';
import { decodeRawLine, writeRawLine } from '../../core/event/raw-line.js';
import { groupedPayload, type RawPayload } from '../../core/event/raw-payload.js';
import type { Grouper } from '../../core/fingerprint/grouper.js';
import { FINGERPRINT_VERSION } from '../../core/fingerprint/grouping-settings.js';
import { WARM_UP_PAYLOADS } from '../../core/fingerprint/warm-up-payloads.js';
import { type AppendOptions, type EventStore, openEventStore } from '../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../core/storage/event-store-options.js';
import type { ReplayProgress } from '../../core/storage/index/replay-into-index.js';
import { RecordMoved } from '../../core/storage/record/append-faults.js';
import { beginTimeSlice, type TimeSlice } from '../../core/time-slice.js';
import type { StoreExporterSettings } from '../../generated/settings.js';
import type { ExporterFactory, ExporterInternal, StoreExporter } from '../component/built-in.js';
import type { Batch, Outcome } from '../component/consumer.js';
import { StoreTelemetry } from '../telemetry/store-telemetry.js';

/** Exporter `store`: groups events and keeps them in a folder. */
export const storeExporter: ExporterFactory<StoreExporterSettings> = {
  stability: 'stable',
  create(settings, { id, internal }) {
    const telemetry = new StoreTelemetry(id, internal.meters, internal.states);
    return new EventStoreExporter({ ...internal, settings, openStore: openEventStore, telemetry });
  },
};

interface StoreExporterOptions extends Pick<ExporterInternal, 'logger' | 'groupingRules' | 'onLost'> {
  readonly settings: StoreExporterSettings;
  readonly openStore: (options: EventStoreOptions) => Promise<EventStore>;
  /** Default: none. */
  readonly telemetry?: StoreTelemetry;
}

/** Longer raw lines are serialized and encoded in slices of their own. */
const LARGE_TEXT = 256 * 1024;
/** Short replays are not logged. */
const REPORT_INTERVAL_MS = 1_000;
const DAY_MS = 86_400_000;
/** Of the grace period of a stop, two seconds are left for the store once requests have drained; the rest of them is for a slow disk. */
const LAST_CHECKPOINT_MS = 1_500;

/** Exporter `store`: groups events and stores them in a folder. */
export class EventStoreExporter implements StoreExporter {
  /** Absolute path of the data folder. */
  readonly directory: string;
  /** The retention for people, for example `for 30 days, at most 10 GiB`. */
  readonly retention: string;
  readonly #options: StoreExporterOptions;
  /** Between `start` and `shutdown`. */
  #store: EventStore | undefined;
  /** Whether the store refused the last batch. */
  #isRefusing = false;

  constructor(options: StoreExporterOptions) {
    this.#options = options;
    this.directory = resolve(options.settings.directory);
    this.retention = retentionText(options.settings.retention);
  }

  /** The store; throws `STORE_CLOSED` before `start` and after `shutdown`. */
  opened(): EventStore {
    if (this.#store === undefined) throw notOpen();
    return this.#store;
  }

  /** Opens the folder and throws what the store does. */
  async start(stop?: AbortSignal): Promise<void> {
    const { settings, logger, groupingRules, openStore, onLost, telemetry } = this.#options;
    const replay = new ReplayReport(logger);
    this.#store = await openStore({
      directory: settings.directory,
      durability: settings.durability,
      checkpointIntervalMs: parseDuration(settings.checkpoint_interval),
      checkpointTimeoutMs: LAST_CHECKPOINT_MS,
      retention: {
        maxAgeMs: parseDuration(settings.retention.max_age),
        maxBytes: parseSize(settings.retention.max_size),
      },
      rejected: {
        maxAgeMs: parseDuration(settings.rejected.max_age),
        maxBytes: parseSize(settings.rejected.max_size),
      },
      ...(groupingRules && {
        groupingRules: { rules: groupingRules.rules, patterns_off: groupingRules.patterns_off },
      }),
      onFault: (fault) => logger.error({ err: fault }, 'the store met a fault'),
      onProgress: (progress) => replay.add(progress),
      ...(onLost && { onLost }),
      ...(stop && { signal: stop }),
    });
    const { version } = this.#store.grouper.settings;
    if (version < FINGERPRINT_VERSION) {
      const advice = '`faultline regroup --apply` groups all events by the newest version of the built-in rules';
      logger.warn(
        { version, newestVersion: FINGERPRINT_VERSION },
        `the folder has issues of an earlier version: ${advice}`,
      );
    }
    telemetry?.replayed(replay.events);
    telemetry?.opened(this.#store.reader);
    if (replay.events > 0) logger.info({ replayedEvents: replay.events }, 'the index has what it lacked of the record');
    await warmUp(this.#store.grouper);
  }

  // Not async: the frame of an async function would keep the payloads, most of a busy collector's memory, alive while the disk writes.
  consume({ receiver, events, batchId, origin, rejected = [] }: Batch): Promise<readonly Outcome[]> {
    const store = this.#store;
    if (store === undefined) return Promise.reject(notOpen());
    const rejecting = rejected.length === 0 ? Promise.resolve() : store.reject(receiver, rejected);
    if (events.length === 0) return rejecting.then(() => []);
    const { grouper } = store;
    const options = { groupedBy: grouper.key, origin, ...(batchId !== undefined && { batchId }) };
    return groupEvents(events, grouper).then((grouped) => this.#append(grouped, options, rejecting));
  }

  readonly prepare = (event: ReceivedEvent): ReceivedEvent => {
    if (this.#store === undefined) return event;
    const { grouper } = this.#store;
    const { event: written, line } = withLine(event);
    const encoded = typeof line === 'string' ? Buffer.from(line) : line;
    return new PreparedEvent(fingerprinted(written, encoded, grouper), grouper.key);
  };

  async shutdown(): Promise<void> {
    this.#options.telemetry?.closed();
    await this.#store?.close();
    this.#store = undefined;
  }

  /** `rejecting`: the rejected payloads of the batch are stored too. */
  async #append(
    grouped: readonly EncodedEvent[],
    options: AppendOptions,
    rejecting: Promise<void>,
  ): Promise<readonly Outcome[]> {
    const onAppended = this.#options.telemetry?.beginAppend();
    try {
      const stored = await this.opened().append(grouped, options);
      onAppended?.(stored.length);
      this.#noteAccepted();
      await rejecting;
      return stored.map((event) => ({ kind: 'stored', stored: event }));
    } catch (error) {
      onAppended?.(0);
      // `onLost` reports it.
      if (!(error instanceof RecordMoved)) this.#noteRefused(error);
      throw error;
    }
  }

  /** Logs only the first of several refusals. */
  #noteRefused(error: unknown): void {
    const { telemetry, logger } = this.#options;
    telemetry?.refused(error instanceof Fault ? error.message : 'the store failed; the log says why');
    if (!this.#isRefusing) logger.error({ err: error }, 'the store refuses events');
    this.#isRefusing = true;
  }

  #noteAccepted(): void {
    const { telemetry, logger } = this.#options;
    telemetry?.accepted();
    if (this.#isRefusing) logger.info('the store accepts events again');
    this.#isRefusing = false;
  }
}

/** Logs how far a long replay is, once a second. */
class ReplayReport {
  readonly #logger: Logger;
  #nextAtMs = performance.now() + REPORT_INTERVAL_MS;
  /** Replayed so far. */
  events = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(progress: ReplayProgress): void {
    this.events = progress.doneEvents;
    if (performance.now() < this.#nextAtMs) return;
    this.#nextAtMs = performance.now() + REPORT_INTERVAL_MS;
    this.#logger.info(progress, 'rebuilding the index from the record');
  }
}

function notOpen(): Fault {
  return new Fault('STORE_CLOSED', 'the store is not open', { retryable: true });
}

function retentionText({ max_age: maxAge, max_size: maxSize }: StoreExporterSettings['retention']): string {
  const days = parseDuration(maxAge) / DAY_MS;
  const age = Number.isInteger(days) ? `${days} ${days === 1 ? 'day' : 'days'}` : maxAge;
  const limits = [
    ...(days === 0 ? [] : [`for ${age}`]),
    ...(parseSize(maxSize) === 0 ? [] : [`at most ${maxSize.replace(/(?<=\d) ?(?=[A-Za-z])/, ' ')}`]),
  ];
  return limits.join(', ') || 'until you remove them';
}

/** A fingerprinted event with its raw line. */
type EncodedEvent = FingerprintedEvent & { readonly encoded: Uint8Array };

/** Holds only what the store takes: a busy collector has thousands that wait for the disk. */
class PreparedEvent implements ReceivedEvent {
  readonly stored: EncodedEvent;
  /** Key of the grouper. */
  readonly key: string;

  constructor(stored: PreparedEvent['stored'], key: string) {
    this.stored = stored;
    this.key = key;
  }

  get encoded(): Uint8Array {
    return this.stored.encoded;
  }

  get grouping(): KnownGrouping {
    return { key: this.key, fingerprint: this.stored.fingerprint };
  }

  /** Decodes the line. */
  get payload(): RawPayload {
    return decodeRawLine(this.encoded);
  }
}

/** Compiles what the first events need, before they come. */
async function warmUp(grouper: Grouper): Promise<void> {
  for (const payload of WARM_UP_PAYLOADS) {
    grouper.fingerprint(payload);
    await nextTurn();
  }
}

/** Encodes events and groups those without a grouping by the same rules, in time slices because stack traces can be large. */
async function groupEvents(events: readonly ReceivedEvent[], grouper: Grouper): Promise<EncodedEvent[]> {
  const slice = beginTimeSlice();
  const grouped: EncodedEvent[] = [];
  for (const event of events) {
    if (event instanceof PreparedEvent && event.key === grouper.key) {
      grouped.push(event.stored);
      continue;
    }
    if (slice.isOver) await slice.next();
    const { event: written, line } = withLine(event);
    const encoded = typeof line === 'string' ? await encodeInSlices(line, slice) : line;
    grouped.push(fingerprinted(written, encoded, grouper));
  }
  return grouped;
}

function fingerprinted({ payload, grouping }: ReceivedEvent, encoded: Uint8Array, grouper: Grouper): EncodedEvent {
  const result = grouping?.key === grouper.key ? grouping.fingerprint : grouper.fingerprint(payload);
  // Without the basis of the fingerprint, which the store does not take.
  const { value, version, title, culprit } = result;
  return { payload: groupedPayload(payload), encoded, fingerprint: { value, version, title, culprit } };
}

/** The event as its raw line holds it; the line as a string unless the event has it already. */
function withLine(event: ReceivedEvent): { readonly event: ReceivedEvent; readonly line: Uint8Array | string } {
  if (event.encoded !== undefined) return { event, line: event.encoded };
  const sent = event.payload;
  const { payload, text } = writeRawLine(sent);
  return { event: payload === sent ? event : { ...event, payload }, line: text };
}

async function encodeInSlices(text: string, slice: TimeSlice): Promise<Buffer> {
  if (text.length <= LARGE_TEXT) return Buffer.from(text);
  await slice.next();
  const line = Buffer.from(text);
  await slice.next();
  return line;
}
