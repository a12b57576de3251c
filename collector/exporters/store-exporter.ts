import { resolve } from 'node:path';
import { parseDuration } from '../../config/values/duration.js';
import { parseSize } from '../../config/values/size.js';
import type { FingerprintedEvent, KnownGrouping, ReceivedEvent } from '../../core/contract/stages.js';
import { Fault } from '../../core/event/fault.js';
import { createRawLineEncoder, decodeRawLine, rawLineText } from '../../core/event/raw-line.js';
import { groupedPayload, type RawPayload } from '../../core/event/raw-payload.js';
import type { GroupingResult } from '../../core/fingerprint/fingerprint.js';
import type { Grouper } from '../../core/fingerprint/grouper.js';
import { type AppendOptions, type EventStore, openEventStore } from '../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../core/storage/event-store-options.js';
import type { ReplayProgress } from '../../core/storage/index/replay-into-index.js';
import { RecordMoved } from '../../core/storage/record/append-faults.js';
import { beginTimeSlice, type TimeSlice } from '../../core/time-slice.js';
import type { StoreExporterSettings } from '../../generated/settings.js';
import type { ExporterFactory, ExporterInternal, StoreExporter } from '../component/built-in.js';
import type { Batch, Outcome } from '../component/consumer.js';
import { createStoreTelemetry, type StoreTelemetry } from '../telemetry/store-telemetry.js';

/** Exporter `store`: groups events and keeps them in a folder. */
export const storeExporter: ExporterFactory<StoreExporterSettings> = {
  stability: 'stable',
  create(settings, { id, internal }) {
    const telemetry = createStoreTelemetry(id, internal.meters, internal.states);
    return createStoreExporter({ ...internal, settings, openStore: openEventStore, telemetry });
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

/** Creates the exporter; `start` opens the folder and throws what the store does. */
export function createStoreExporter(options: StoreExporterOptions): StoreExporter {
  const { settings, logger, groupingRules, openStore, onLost, telemetry } = options;
  let store: EventStore | undefined;
  let isRefusing = false;
  const encodeLine = createRawLineEncoder();

  const opened = (): EventStore => {
    if (store === undefined) throw notOpen();
    return store;
  };

  /** Logs each change once. */
  const noteRefusal = (refusal: unknown): void => {
    const isNews = isRefusing !== (refusal !== undefined);
    isRefusing = refusal !== undefined;
    if (isRefusing)
      telemetry?.refused(refusal instanceof Fault ? refusal.message : 'the store failed; the log says why');
    else telemetry?.accepted();
    if (isNews && isRefusing) logger.error({ err: refusal }, 'the store refuses events');
    else if (isNews) logger.info('the store accepts events again');
  };

  const keep = async (
    grouped: readonly FingerprintedEvent[],
    options: AppendOptions,
    kept: Promise<void>,
  ): Promise<readonly Outcome[]> => {
    const handedBack = telemetry?.beginAppend();
    try {
      const stored = await opened().append(grouped, options);
      handedBack?.(stored.length);
      noteRefusal(undefined);
      await kept;
      return stored.map((event) => ({ kind: 'stored', stored: event }));
    } catch (error) {
      handedBack?.(0);
      // `onLost` reports it.
      if (!(error instanceof RecordMoved)) noteRefusal(error);
      throw error;
    }
  };

  return {
    directory: resolve(settings.directory),
    retention: keptFor(settings.retention),
    opened,

    async start(stop) {
      const report = everySecond((progress: object) => logger.info(progress, 'rebuilding the index from the record'));
      let replayedEvents = 0;
      const onProgress = (progress: ReplayProgress): void => {
        replayedEvents = progress.doneEvents;
        report(progress);
      };
      store = await openStore({
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
        onProgress,
        ...(onLost && { onLost }),
        ...(stop && { signal: stop }),
      });
      telemetry?.replayed(replayedEvents);
      telemetry?.opened(store.reader);
      if (replayedEvents > 0) logger.info({ replayedEvents }, 'the index has what it lacked of the record');
    },

    // Not async: the frame of an async function would keep the payloads, most of a busy collector's memory, alive while the disk writes.
    consume({ receiver, events, batchId, origin, rejected = [] }: Batch): Promise<readonly Outcome[]> {
      if (store === undefined) return Promise.reject(notOpen());
      const kept = rejected.length === 0 ? Promise.resolve() : store.reject(receiver, rejected);
      if (events.length === 0) return kept.then(() => []);
      const { grouper } = store;
      const options = { groupedBy: grouper.key, origin, ...(batchId !== undefined && { batchId }) };
      return groupEvents(events, grouper).then((grouped) => keep(grouped, options, kept));
    },

    prepare(event) {
      if (store === undefined) return event;
      const { grouper } = store;
      const { payload, encoded = encodeLine(payload), grouping } = event;
      const known = grouping?.key === grouper.key ? grouping.fingerprint : grouper.fingerprint(payload);
      const stored = { payload: groupedPayload(payload), encoded, fingerprint: resultOf(known) };
      return new PreparedEvent(stored, grouper.key);
    },

    async shutdown() {
      telemetry?.closed();
      await store?.close();
      store = undefined;
    },
  };
}

function notOpen(): Fault {
  return new Fault('STORE_CLOSED', 'the store is not open', { retryable: true });
}

function keptFor({ max_age: maxAge, max_size: maxSize }: StoreExporterSettings['retention']): string {
  const days = parseDuration(maxAge) / DAY_MS;
  const age = Number.isInteger(days) ? `${days} ${days === 1 ? 'day' : 'days'}` : maxAge;
  const limits = [
    ...(days === 0 ? [] : [`for ${age}`]),
    ...(parseSize(maxSize) === 0 ? [] : [`at most ${maxSize.replace(/(?<=\d) ?(?=[A-Za-z])/, ' ')}`]),
  ];
  return limits.join(', ') || 'until you remove them';
}

function everySecond<T>(report: (value: T) => void): (value: T) => void {
  let nextAtMs = performance.now() + REPORT_INTERVAL_MS;
  return (value) => {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + REPORT_INTERVAL_MS;
    report(value);
  };
}

/** Holds only what the store takes: a busy collector has thousands that wait for the disk. */
class PreparedEvent implements ReceivedEvent {
  readonly stored: FingerprintedEvent & { readonly encoded: Uint8Array };
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

/** Encodes events and groups those without a grouping by the same rules, in time slices because stack traces can be large. */
async function groupEvents(events: readonly ReceivedEvent[], grouper: Grouper): Promise<FingerprintedEvent[]> {
  const slice = beginTimeSlice();
  const grouped: FingerprintedEvent[] = [];
  for (const event of events) {
    if (event instanceof PreparedEvent && event.key === grouper.key) {
      grouped.push(event.stored);
      continue;
    }
    if (slice.isOver) await slice.next();
    const { payload, encoded, grouping } = event;
    const line = encoded ?? (await encodeInSlices(payload, slice));
    const known = grouping?.key === grouper.key ? grouping.fingerprint : grouper.fingerprint(payload);
    grouped.push({ payload: groupedPayload(payload), encoded: line, fingerprint: resultOf(known) });
  }
  return grouped;
}

async function encodeInSlices(payload: RawPayload, slice: TimeSlice): Promise<Buffer> {
  const text = rawLineText(payload);
  if (text.length <= LARGE_TEXT) return Buffer.from(text);
  await slice.next();
  const line = Buffer.from(text);
  await slice.next();
  return line;
}

/** Without the basis. */
function resultOf({ value, version, title, culprit }: GroupingResult): GroupingResult {
  return { value, version, title, culprit };
}
