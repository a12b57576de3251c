import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../../core/event/json.js';
import { type RecordOutcome, settlementOf } from '../../intake/intake.js';
import { loggedMessage } from '../mapping/map-message.js';
import { asText, asValues, at } from '../mapping/map-values.js';
import { EndedRequests } from './ended-requests.js';
import { firstLine } from './server-lines.js';

/** A report that no report of the other kind was paired with yet. */
interface Unpaired {
  /** Only of a log entry: whether the failure counts by it, once that is decided. */
  readonly counts?: Promise<boolean>;
  /** Empty if unknown, which pairs with any span. */
  readonly spanId: string;
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
const UNTRACED: ReportClaim = { isRepeated: false, settle: () => undefined };

/** Pairs log entries with events of the same project, trace, span and text, in either order, because SDKs send one failure as both. */
export class RepeatedReports {
  readonly #unpaired: LRUCache<string, Unpaired[]>;
  readonly #ended: EndedRequests;

  /** `nowMs`: monotonic milliseconds, default `performance.now`. */
  constructor(nowMs = () => performance.now()) {
    const bounds = { maxSize: MAX_KEYS, sizeCalculation: () => 1 };
    this.#unpaired = new LRUCache({ ...bounds, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
    this.#ended = new EndedRequests(nowMs);
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
    if (exception !== undefined) undoAll.push(this.#ended.add(event, exception, projectId));
    const settle = forgetting(() => undoAll.forEach((undo) => void undo()));
    const isRepeated = exception === undefined && (await entryCounts) === true;
    return { isRepeated, settle };
  }

  /** Claims a log entry with its plain attributes: repeated if an event says the same. */
  claimLog(entry: JsonObject, projectId: string): ReportClaim {
    const traceId = asText(at(entry, 'trace_id'));
    const body = asText(at(entry, 'body'));
    if (traceId === undefined || body === undefined) return UNTRACED;
    const spanId = asText(at(entry, 'span_id')) ?? '';
    const key = keyOf(projectId, traceId, firstLine(body));
    const isOfEvent = (other: Unpaired) => other.counts === undefined && isSameSpan(other.spanId, spanId);
    const isOfText = this.#pair(key, isOfEvent) !== undefined;
    if (isOfText || this.#ended.isOfEvent(entry, projectId)) return { ...UNTRACED, isRepeated: true };
    let settle: ReportClaim['settle'] = () => undefined;
    const counts = new Promise<RecordOutcome | undefined>((resolve) => {
      settle = resolve;
    }).then((outcome) => settlementOf(outcome) !== undefined);
    const forget = forgetting(this.#add(key, { counts, spanId }));
    return { isRepeated: false, settle: (outcome) => [forget, settle].forEach((end) => void end(outcome)) };
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

/** A short digest is enough to distinguish texts of one trace. */
function keyOf(projectId: string, traceId: string, text: string): string {
  return `${projectId} ${traceId} ${text.length}:${crc32(text)}`;
}

function isSameSpan(one: string, other: string): boolean {
  return one === other || one === '' || other === '';
}
