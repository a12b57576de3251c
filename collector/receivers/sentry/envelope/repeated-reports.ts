import { crc32 } from '@node-rs/crc32';
import { LRUCache } from 'lru-cache';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { loggedMessage } from '../mapping/map-message.js';
import { eventTime } from '../mapping/map-time.js';
import { asText, asValues, at } from '../mapping/map-values.js';

type Kind = 'event' | 'log';

/** A report that no report of the other kind was paired with yet. */
interface Unpaired {
  readonly kind: Kind;
  /** Empty if unknown, which pairs with any span. */
  readonly spanId: string;
  /** Only of an unhandled exception: milliseconds since the epoch. */
  readonly timeMs?: number;
}

/** What happened to a report: `undo` forgets it, for one that was not stored after all. */
export interface ReportClaim {
  readonly isRepeated: boolean;
  undo(): void;
}

/** SDKs send buffered logs within seconds of the event. */
const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;
/** Unpaired reports of one text in one trace. */
const MAX_UNPAIRED = 100;
/** How long after an unhandled exception its framework logs it. */
const FRAMEWORK_LOG_MS = 1_000;
/** Origins of entries that an SDK read from a logger, whose errors SDKs also send as events unless the exception was sent before. */
const LOGGER_ORIGIN = 'auto.log.';
/** UTF-16 units of a text that are compared. */
const MAX_TEXT = 1_024;
const UNTRACED: ReportClaim = { isRepeated: false, undo: () => undefined };

/**
 * Pairs log entries with events of the same project, trace, span and text, in either order, because SDKs send one failure as both. An
 * exception is stored also after its entry. Each event covers one entry for each of its texts, and an unhandled exception also the entry that its framework logs next. Bounded in time and number.
 */
export class RepeatedReports {
  readonly #unpaired: LRUCache<string, Unpaired[]>;

  /** `nowMs`: monotonic milliseconds, default `performance.now`. */
  constructor(nowMs = () => performance.now()) {
    const bounds = { maxSize: MAX_KEYS, sizeCalculation: () => 1 };
    this.#unpaired = new LRUCache({ ...bounds, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
  }

  /** Claims an event: repeated if a log entry with one of its texts was claimed before and it has no exception. */
  claimEvent(event: JsonObject, projectId: string): ReportClaim {
    const trace = at(at(event, 'contexts'), 'trace');
    const traceId = asText(at(trace, 'trace_id'));
    if (traceId === undefined) return UNTRACED;
    const spanId = asText(at(trace, 'span_id')) ?? '';
    const exception = asValues(at(event, 'exception')).at(-1);
    const [type, value] = [asText(at(exception, 'type')), asText(at(exception, 'value'))];
    const named = type === undefined ? undefined : value === undefined ? type : `${type}: ${value}`;
    const texts = new Set([loggedMessage(event).text, value, named].flatMap((text) => text ?? []).map(firstLine));
    const keys = [...texts].map((text) => keyOf(projectId, traceId, text));
    for (const key of keys) {
      const undo = this.#pair(key, (other) => other.kind === 'log' && isSameSpan(other.spanId, spanId));
      // An exception has a stack, which the entry lacks.
      if (undo !== undefined) return { isRepeated: exception === undefined, undo };
    }
    const undoAll = keys.map((key) => this.#add(key, { kind: 'event', spanId }));
    if (at(at(exception, 'mechanism'), 'handled') === false) {
      const timeMs = timeOf(event);
      undoAll.push(this.#add(keyOf(projectId, traceId, null), { kind: 'event', spanId, timeMs }));
    }
    return { isRepeated: false, undo: () => undoAll.forEach((undo) => void undo()) };
  }

  /** Claims a log entry with its plain attributes: repeated if an event says the same. */
  claimLog(entry: JsonObject, origin: string | undefined, projectId: string): ReportClaim {
    const traceId = asText(at(entry, 'trace_id'));
    const body = asText(at(entry, 'body'));
    if (traceId === undefined || body === undefined) return UNTRACED;
    const spanId = asText(at(entry, 'span_id')) ?? '';
    const key = keyOf(projectId, traceId, firstLine(body));
    const isOfEvent = (other: Unpaired) => other.kind === 'event' && isSameSpan(other.spanId, spanId);
    const afterMs = timeOf(entry);
    const undo =
      this.#pair(key, isOfEvent) ??
      (origin?.startsWith(LOGGER_ORIGIN)
        ? this.#pair(keyOf(projectId, traceId, null), (other) => {
            const passedMs = afterMs - (other.timeMs ?? Number.NaN);
            return other.spanId === spanId && passedMs >= 0 && passedMs <= FRAMEWORK_LOG_MS;
          })
        : undefined);
    if (undo !== undefined) return { isRepeated: true, undo };
    return { isRepeated: false, undo: this.#add(key, { kind: 'log', spanId }) };
  }

  /** Removes the first report that fits and returns how to put it back; undefined without one. */
  #pair(key: string, fits: (other: Unpaired) => boolean): (() => void) | undefined {
    const known = this.#unpaired.get(key);
    const index = known?.findIndex(fits) ?? -1;
    const [found] = index < 0 ? [] : (known?.splice(index, 1) ?? []);
    return found === undefined ? undefined : () => void this.#add(key, found);
  }

  #add(key: string, report: Unpaired): () => void {
    const known = this.#unpaired.get(key);
    if (known === undefined) this.#unpaired.set(key, [report]);
    else if (known.push(report) > MAX_UNPAIRED) known.shift();
    return () => void this.#pair(key, (other) => other === report);
  }
}

/** With `text` null the key of unhandled exceptions. A short digest is enough to distinguish texts of one trace. */
function keyOf(projectId: string, traceId: string, text: string | null): string {
  return `${projectId} ${traceId} ${text === null ? 'unhandled' : `${text.length}:${crc32(text)}`}`;
}

function isSameSpan(one: string, other: string): boolean {
  return one === other || one === '' || other === '';
}

function firstLine(text: string): string {
  const [line = ''] = text.slice(0, MAX_TEXT).trimStart().split('\n', 1);
  return line.trimEnd();
}

/** Milliseconds since the epoch by the sender's clock; NaN without a time. */
function timeOf(item: JsonObject): number {
  const sent: JsonValue | undefined = at(item, 'timestamp');
  return Date.parse(eventTime(sent, undefined, 0).timestamp ?? '');
}
