import { LRUCache } from 'lru-cache';
import { type FailureDigest, isCauseOfOther, isSameException } from './failure-digest.js';
import type { Settlement } from './intake.js';
import { type Claim, NewReport, type RepeatedReport } from './new-report.js';

/** A report of a failure. */
export interface FailureReport {
  readonly failure: FailureDigest;
  /** Digest of the names of app and service. */
  readonly service: number | undefined;
  /** The signal that carries it, for example `log`. */
  readonly signal: string;
  /** Digest of who reports it, for example the logger; a source reports one occurrence once. */
  readonly source: number | undefined;
  /** Digest of what the source says besides the failure. */
  readonly words: number | undefined;
  readonly spanId: string;
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  /** Without one, equal reports of one time are one that was sent again. */
  readonly id?: string;
}

/**
 * How two reports are related, besides what they say. `one`: they may be of one failure. `unknown`: they are if they are identical.
 * `apart`: they are not.
 */
export type Relation = 'one' | 'unknown' | 'apart';

/** Relates a report that arrives to one that arrived before. */
export type Relate<Report> = (arriving: Report, known: Report) => Relation;

interface OccurrencesOptions {
  /** How long the reports of a key are remembered after its latest; `Infinity`: until newer ones evict them. */
  readonly windowMs: number;
  /** Reports of one key. */
  readonly maxOfKey: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** A report, and the claim of the one that stands for it. */
interface KnownReport<Report> {
  readonly report: Report;
  readonly claim: NewReport;
}

/** The reports of one occurrence in their order. */
type Occurrence<Report> = KnownReport<Report>[];

/** Reports of all keys. */
const MAX_REPORTS = 10_000;
/** Less than `maxOfKey`. */
const MAX_OF_OCCURRENCE = 64;

/**
 * Recent failures by a key such as the trace. Reports are of one occurrence if they name one exception, or one names the other as its cause;
 * the first one counts it. A source that reports the same exception again reports another attempt. Bounded in time and number; beyond the
 * number, the key that was reported longest ago is forgotten.
 */
export class Occurrences<Report extends FailureReport> {
  readonly #byKey: LRUCache<string, Occurrence<Report>[]>;
  readonly #maxOfKey: number;

  constructor({ windowMs, maxOfKey, nowMs = () => performance.now() }: OccurrencesOptions) {
    this.#maxOfKey = maxOfKey;
    this.#byKey = new LRUCache({
      maxSize: MAX_REPORTS,
      sizeCalculation: (occurrences: Occurrence<Report>[]) => sizeOf(occurrences),
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  /**
   * Claims a report: new, with `countedBy` if earlier reports of its occurrence count it; repeated if it adds nothing to them. Earlier reports
   * have one of its keys.
   */
  claim(keys: readonly string[], report: Report, relate: Relate<Report>): Claim {
    const ofKeys = keys.map((key) => this.#byKey.get(key) ?? []);
    const occurrences = ofKeys.length === 1 ? (ofKeys[0] ?? []) : [...new Set(ofKeys.flat())];
    for (const occurrence of occurrences) {
      const again = occurrence.find((one) => !one.claim.isRefused && isSentAgain(one.report, report));
      if (again !== undefined) return again.claim.repeat();
    }
    const nearest = nearestOccurrence(occurrences, report, relate) ?? [];
    const known = nearest.filter(({ claim }) => !claim.isRefused);
    const standIn = known.find((one) => saysAll(one.report, report, known));
    const claim = standIn?.claim ?? new NewReport(known.length === 0 ? undefined : countOf(known));
    // The first one counts.
    if (nearest.push({ report, claim }) > MAX_OF_OCCURRENCE) nearest.splice(1, 1);
    for (const [index, key] of keys.entries()) {
      const ofKey = ofKeys[index] ?? [];
      this.#byKey.set(key, this.#latest(ofKey.includes(nearest) ? ofKey : [...ofKey, nearest]));
    }
    return standIn === undefined ? claim : claim.repeat();
  }

  /** Returns all but the oldest occurrences above the bound, in another array, because the cache measures no array twice. */
  #latest(occurrences: readonly Occurrence<Report>[]): Occurrence<Report>[] {
    let size = sizeOf(occurrences);
    let from = 0;
    for (; size > this.#maxOfKey; from++) size -= occurrences[from]?.length ?? 0;
    return occurrences.slice(from);
  }
}

function sizeOf(occurrences: readonly Occurrence<FailureReport>[]): number {
  let size = 0;
  for (const { length } of occurrences) size += length;
  return size;
}

/** Whether a sender repeats a report, for example because it got no response. */
function isSentAgain(known: FailureReport, arriving: FailureReport): boolean {
  return (
    known.id === arriving.id &&
    known.time === arriving.time &&
    known.spanId === arriving.spanId &&
    known.source === arriving.source &&
    known.words === arriving.words &&
    known.failure.exception === arriving.failure.exception &&
    isIdentical(known, arriving)
  );
}

/** Returns the occurrence that a report is of: of several one of its span, else the nearest in time. */
function nearestOccurrence<Report extends FailureReport>(
  occurrences: readonly Occurrence<Report>[],
  report: Report,
  relate: Relate<Report>,
): Occurrence<Report> | undefined {
  let nearest: Occurrence<Report> | undefined;
  let least: Distance | undefined;
  for (const occurrence of occurrences) {
    const known = occurrence.flatMap(({ claim, report: one }) => (claim.isRefused ? [] : one));
    if (!isOf(known, report, relate)) continue;
    const distance = distanceTo(known, report);
    if (least !== undefined && !isNearer(distance, least)) continue;
    nearest = occurrence;
    least = distance;
  }
  return nearest;
}

/**
 * Whether a report is of the occurrence of the known ones. Reports without a stack do not count one that has it, because the latter is an
 * issue of its own (decision 44).
 */
function isOf<Report extends FailureReport>(known: readonly Report[], report: Report, relate: Relate<Report>): boolean {
  const { failure, service } = report;
  if (failure.hasStack && !known.some((one) => one.failure.hasStack)) return false;
  const isMatched = known.some((one) => {
    if (one.service !== service) return false;
    const isAlike = isSameException(one.failure, failure) || isCauseOfOther(one.failure, failure);
    return (isAlike && relate(report, one) === 'one') || isIdentical(one, report);
  });
  return isMatched && known.every((one) => relate(report, one) !== 'apart' && !isNextAttempt(one, report));
}

function isIdentical(one: FailureReport, other: FailureReport): boolean {
  return one.service === other.service && one.failure.identity === other.failure.identity;
}

/**
 * Whether a source reports an exception of the same class and message again. Some log it twice on its way: then the words differ, and the
 * stack is the same, or in Python that of another function that caught it.
 */
function isNextAttempt(known: FailureReport, arriving: FailureReport): boolean {
  const [one, other] = [known.failure, arriving.failure];
  const isAlike = isIdentical(known, arriving);
  if (known.source !== arriving.source || !(isAlike || isSameException(one, other))) return false;
  if (known.words === arriving.words) return true;
  if (one.hasStack && isAlike) return false;
  return one.catcher === undefined || one.catcher === other.catcher;
}

/** Whether a known report says the same by the same signal, and the occurrence knows the value of each field. */
function saysAll(one: FailureReport, report: FailureReport, known: readonly KnownReport<FailureReport>[]): boolean {
  if (one.signal !== report.signal || one.words !== report.words) return false;
  if (!isIdentical(one, report) || one.failure.exception !== report.failure.exception) return false;
  return report.failure.fields.every(
    (value, field) => value === undefined || known.some((other) => other.report.failure.fields[field] === value),
  );
}

interface Distance {
  readonly isSameSpan: boolean;
  readonly time: bigint;
}

function distanceTo(known: readonly FailureReport[], { spanId, time }: FailureReport): Distance {
  let least: bigint | undefined;
  for (const one of known) {
    const passed = one.time > time ? one.time - time : time - one.time;
    if (least === undefined || passed < least) least = passed;
  }
  return { isSameSpan: known.some((one) => one.spanId === spanId), time: least ?? 0n };
}

function isNearer(one: Distance, other: Distance): boolean {
  return one.isSameSpan === other.isSameSpan ? one.time < other.time : one.isSameSpan;
}

/** The event that counts an occurrence: of the earlier reports the first that is not filtered or rejected. Rejects if all that might be it are refused. */
function countOf(known: readonly KnownReport<FailureReport>[]): RepeatedReport {
  const settled = firstSettlement(known.map(({ claim }) => claim.repeat()));
  // The waiting request may end before it awaits this.
  settled.catch(() => undefined);
  return { kind: 'repeated', settled };
}

async function firstSettlement(reports: readonly RepeatedReport[]): Promise<Settlement> {
  const refusals: unknown[] = [];
  for (const { settled } of reports) {
    try {
      const settlement = await settled;
      if (settlement !== undefined) return settlement;
    } catch (error) {
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw refusals[0];
  return undefined;
}
