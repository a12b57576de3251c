import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { type RecordOutcome, settlementOf } from '../../intake/intake.js';
import { attributeOf } from '../mapping/map-log.js';
import { loggedMessage } from '../mapping/map-message.js';
import { eventTime } from '../mapping/map-time.js';
import { asText, asValues, at } from '../mapping/map-values.js';
import { exceptionsInServerLine, firstLine, isServerLine } from './server-lines.js';

/** A report that no report of the other kind was paired with yet. */
interface Unpaired {
  /** Only of a log entry: whether the failure counts by it, once that is decided. */
  readonly counts?: Promise<boolean>;
  /** Empty if unknown, which pairs with any span. */
  readonly spanId: string;
  /** Only of an exception. */
  readonly ended?: EndedRequest;
}

/** An exception that may have ended its request. */
interface EndedRequest {
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly parentSpanId: string | undefined;
  readonly isUnhandled: boolean;
}

/** Whether a report is of a failure that was reported before. */
export interface ReportClaim {
  /** Whether it adds nothing to the first report. */
  readonly isRepeated: boolean;
  /** Ends the claim of a report that was not dropped as repeated; forgets one that was refused (undefined) or rejected. */
  settle(outcome: RecordOutcome | undefined): void;
}

/** SDKs send buffered logs within seconds of the event. */
const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;
/** Unpaired reports of one text in one trace. */
const MAX_UNPAIRED = 100;
/** How long after an exception its framework logs it. */
const FRAMEWORK_LOG_MS = 1_000;
/** Origins of entries that an SDK read from a logger, whose errors SDKs also send as events unless the exception was sent before. */
const LOGGER_ORIGIN = 'auto.log.';
const UNTRACED: ReportClaim = { isRepeated: false, settle: () => undefined };

/** Pairs log entries with events of the same project, trace, span and text, in either order, because SDKs send one failure as both. */
export class RepeatedReports {
  readonly #unpaired: LRUCache<string, Unpaired[]>;

  /** `nowMs`: monotonic milliseconds, default `performance.now`. */
  constructor(nowMs = () => performance.now()) {
    const bounds = { maxSize: MAX_KEYS, sizeCalculation: () => 1 };
    this.#unpaired = new LRUCache({ ...bounds, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
  }

  /**
   * Claims an event and pairs it with a log entry that says one of its texts. An event without an exception is repeated if that entry was
   * claimed before and counts, which this waits for. An exception is an issue of its own and never repeated.
   */
  async claimEvent(event: JsonObject, projectId: string): Promise<ReportClaim> {
    const trace = at(at(event, 'contexts'), 'trace');
    const traceId = asText(at(trace, 'trace_id'));
    if (traceId === undefined) return UNTRACED;
    const spanId = asText(at(trace, 'span_id')) ?? '';
    const exception = asValues(at(event, 'exception')).at(-1);
    const [type, value] = [asText(at(exception, 'type')), asText(at(exception, 'value'))];
    const named = type === undefined ? undefined : value === undefined ? type : `${type}: ${value}`;
    const texts = new Set([loggedMessage(event).text, value, named].flatMap((text) => text ?? []).map(firstLine));
    const undoAll: (() => void)[] = [];
    let entryCounts: Promise<boolean> | undefined;
    for (const text of texts) {
      const key = keyOf(projectId, traceId, text);
      const entry = this.#pair(key, (other) => other.counts !== undefined && isSameSpan(other.spanId, spanId));
      entryCounts ??= entry?.counts;
      undoAll.push(entry === undefined ? this.#add(key, { spanId }) : () => void this.#add(key, entry));
    }
    if (exception !== undefined) undoAll.push(...this.#addEnded(event, exception, projectId));
    const settle = forgetting(() => undoAll.forEach((undo) => void undo()));
    const isRepeated = exception === undefined && (await entryCounts) === true;
    return { isRepeated, settle };
  }

  /** Adds an exception that the line of a server may be about. */
  #addEnded(event: JsonObject, exception: JsonValue, projectId: string): (() => void)[] {
    const trace = at(at(event, 'contexts'), 'trace');
    const isUnhandled = at(at(exception, 'mechanism'), 'handled') === false;
    const ended = { timeMs: timeOf(event), parentSpanId: asText(at(trace, 'parent_span_id')), isUnhandled };
    const report: Unpaired = { spanId: asText(at(trace, 'span_id')) ?? '', ended };
    const ofTrace = this.#add(keyOf(projectId, asText(at(trace, 'trace_id')) ?? '', null), report);
    if (!isUnhandled) return [ofTrace];
    const module = asText(at(exception, 'module'));
    const type = [module, asText(at(exception, 'type'))].filter((part) => part !== undefined).join('.');
    const named = `${type}: ${asText(at(exception, 'value'))}`;
    return [ofTrace, this.#add(keyOf(projectId, serverOf(at(event, 'server_name')), named), report)];
  }

  /** Claims a log entry with its plain attributes: repeated if an event says the same. */
  claimLog(entry: JsonObject, origin: string | undefined, projectId: string): ReportClaim {
    const traceId = asText(at(entry, 'trace_id'));
    const body = asText(at(entry, 'body'));
    if (traceId === undefined || body === undefined) return UNTRACED;
    const spanId = asText(at(entry, 'span_id')) ?? '';
    const key = keyOf(projectId, traceId, firstLine(body));
    const isOfEvent = (other: Unpaired) => other.counts === undefined && isSameSpan(other.spanId, spanId);
    const event = this.#pair(key, isOfEvent) ?? this.#pairEnded(entry, body, origin, projectId);
    if (event !== undefined) return { ...UNTRACED, isRepeated: true };
    let settle: ReportClaim['settle'] = () => undefined;
    const counts = new Promise<RecordOutcome | undefined>((resolve) => {
      settle = resolve;
    }).then((outcome) => settlementOf(outcome) !== undefined);
    const forget = forgetting(this.#add(key, { counts, spanId }));
    return { isRepeated: false, settle: (outcome) => [forget, settle].forEach((end) => void end(outcome)) };
  }

  /**
   * Pairs what a framework logs when an exception ends a request: any entry after an unhandled one of its span, the line of a server after any.
   * Tomcat logs outside of the trace; its line quotes the exception.
   */
  #pairEnded(entry: JsonObject, body: string, origin: string | undefined, projectId: string): Unpaired | undefined {
    if (!origin?.startsWith(LOGGER_ORIGIN)) return undefined;
    const spanId = asText(at(entry, 'span_id')) ?? '';
    const isOfServer = isServerLine(body);
    const afterMs = timeOf(entry);
    const isBefore = ({ ended }: Unpaired) => {
      const passedMs = afterMs - (ended?.timeMs ?? Number.NaN);
      return passedMs >= 0 && passedMs <= FRAMEWORK_LOG_MS;
    };
    const ofTrace = this.#pair(keyOf(projectId, asText(at(entry, 'trace_id')) ?? '', null), (other) => {
      const isOfSpan = other.spanId === spanId || other.ended?.parentSpanId === spanId;
      return isOfSpan && isBefore(other) && (isOfServer || other.ended?.isUnhandled === true);
    });
    if (ofTrace !== undefined || !isOfServer) return ofTrace;
    const server = serverOf(attributeOf(at(entry, 'attributes'), 'server.address'));
    for (const quoted of exceptionsInServerLine(body)) {
      const ofServer = this.#pair(keyOf(projectId, server, quoted), isBefore);
      if (ofServer !== undefined) return ofServer;
    }
    return undefined;
  }

  /** Removes the first report that fits and returns it. */
  #pair(key: string, fits: (other: Unpaired) => boolean): Unpaired | undefined {
    const known = this.#unpaired.get(key);
    const index = known?.findIndex(fits) ?? -1;
    return index < 0 ? undefined : known?.splice(index, 1)[0];
  }

  #add(key: string, report: Unpaired): () => void {
    const known = this.#unpaired.get(key);
    if (known === undefined) this.#unpaired.set(key, [report]);
    else if (known.push(report) > MAX_UNPAIRED) known.shift();
    return () => void this.#pair(key, (other) => other === report);
  }
}

function forgetting(forget: () => void): ReportClaim['settle'] {
  return (outcome) => {
    if (outcome === undefined || outcome.kind === 'rejected') forget();
  };
}

/** With `text` null the key of all exceptions. A short digest is enough to distinguish texts of one trace. */
function keyOf(projectId: string, traceId: string, text: string | null): string {
  return `${projectId} ${traceId} ${text === null ? 'exception' : `${text.length}:${crc32(text)}`}`;
}

/** Stands for a trace in keys. */
function serverOf(name: JsonValue | undefined): string {
  return `on ${asText(name)}`;
}

function isSameSpan(one: string, other: string): boolean {
  return one === other || one === '' || other === '';
}

/** Milliseconds since the epoch by the sender's clock; NaN without a time. */
function timeOf(item: JsonObject): number {
  const sent: JsonValue | undefined = at(item, 'timestamp');
  return Date.parse(eventTime(sent, undefined, 0).timestamp ?? '');
}
