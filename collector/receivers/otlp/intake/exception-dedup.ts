import { crc32 } from '@node-rs/crc32';
import type { JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import type { Settlement } from '../../intake/pending-records.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { unqualifiedName } from '../mapping/exception-attributes.js';
import { type Claim, NewOccurrence, repeatOf } from './new-occurrence.js';

interface ExceptionDedupOptions {
  /** How long the reports of a trace are remembered after its latest; `Infinity`: until newer ones evict them. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Reports of all traces, and of one. */
const MAX_REPORTS = 10_000;
const MAX_REPORTS_OF_TRACE = 1_000;
const BUCKETS = 4_096;
const MAX_TYPE = 256;
/** UTF-16 units of a stack that are searched for a frame. */
const MAX_SEARCHED = 8_192;
const FRAME = /^[ \t]*(?:at |#0|File ")[^\n]*/m;
const PYTHON_FRAME = '\n  File "';
const ALWAYS_NEW = new NewOccurrence();
/** Spreads lengths over 32 bits. */
const HASH_FACTOR = 0x9e3779b1;
const OTHER_FACTOR = 0x85ebca6b;
/** Shorter texts are hashed here: calling `crc32` takes longer. */
const SHORT_TEXT = 160;

/**
 * Recently reported exceptions. An exception may be recorded on every span that it passes, and again as a log record (`logs/dup`). The same
 * exception of a trace is a new occurrence only if the same span and signal report it with another time. A log record and a span event
 * with another stack are one occurrence as well, but both are stored (decision 0033). Bounded in time and number.
 */
export class ExceptionDedup {
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  /** A ring. */
  readonly #reports: Report[] = [];
  /** Number of the newest report by bucket of its trace; -1: none. */
  readonly #newest = new Float64Array(BUCKETS).fill(-1);
  #lastNumber = -1;
  /** For the next report. */
  #spare = new Report();

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
    this.#windowMs = windowMs;
    this.#nowMs = nowMs;
  }

  claim(failure: OtlpFailure): Claim {
    const report = this.#spare;
    if (!report.read(failure)) return ALWAYS_NEW;
    report.arrivedMs = this.#nowMs();
    let newerMs = report.arrivedMs;
    let first: Report | undefined;
    let atSameTime: Report | undefined;
    let otherHalf: Report | undefined;
    let one = this.#numbered(this.#newest[bucketOf(report.trace)]);
    for (let ofTrace = 0; one !== undefined && ofTrace < MAX_REPORTS_OF_TRACE; ) {
      if (one.trace === report.trace) {
        ofTrace++;
        if (newerMs - one.arrivedMs > this.#windowMs) break;
        newerMs = one.arrivedMs;
        if (one.isSameException(report)) {
          first = one;
          if (one.time === report.time) atSameTime = one;
        }
        if (one.isOtherHalfOf(report) && !(otherHalf?.isNearer(one, report) ?? false)) otherHalf = one;
      }
      one = this.#numbered(one.before);
    }
    const isSameOrigin = first?.signal === report.signal && first.spanId === report.spanId;
    const repeated = isSameOrigin ? atSameTime : first;
    if (repeated === undefined) return this.#add(report, otherHalf);
    if (repeated.signal !== report.signal) repeated.isPaired = true;
    return repeated.repeat();
  }

  #add(report: Report, counted: Report | undefined): Claim {
    const bucket = bucketOf(report.trace);
    report.number = ++this.#lastNumber;
    report.before = this.#newest[bucket] ?? -1;
    this.#newest[bucket] = report.number;
    const place = report.number % MAX_REPORTS;
    this.#spare = this.#reports[place] ?? new Report();
    this.#reports[place] = report;
    return report.begin(counted);
  }

  /** Undefined if a newer report took its place. */
  #numbered(number = -1): Report | undefined {
    const report = this.#reports[number % MAX_REPORTS];
    return report?.number === number ? report : undefined;
  }
}

/**
 * The first report of an exception, or one of the other signal. Digests are 0 where it says nothing. The object is used again for a later
 * report: an object for each would grow old and cost the garbage collector more than all work on it.
 */
class Report {
  number = -1;
  /** The report before in the bucket. */
  before = -1;
  arrivedMs = 0;
  trace = 0;
  signal: OtlpFailure['signal'] = 'log';
  spanId = 0;
  time = 0n;
  type = 0;
  message = 0;
  stack = 0;
  /** 0 if the report cannot be paired. */
  className = 0;
  rootFrame = 0;
  /** Whether the other signal has reported the occurrence as well. */
  isPaired = false;
  /** Until it is settled. */
  #claim: NewOccurrence | undefined;
  #settlement: Settlement;

  /** Returns false without a trace or an exception, because equal failures are then separate occurrences. */
  read(failure: OtlpFailure): boolean {
    const { traceId, spanId } = traceOf(failure);
    const attributes = failureAttributes(failure);
    if (traceId === '' || !hasException(attributes)) return false;
    const name = attributes.get('exception.type');
    const trace = attributes.get('exception.stacktrace');
    this.type = digestOf(name);
    this.message = digestOf(attributes.get('exception.message'));
    this.stack = digestOf(trace);
    if (this.type === 0 && this.message === 0 && this.stack === 0) return false;
    this.trace = traceDigest(traceId);
    this.spanId = digestOf(spanId);
    this.signal = failure.signal;
    this.time = timeOf(failure);
    const isPairable = spanId !== '' && typeof name === 'string' && name.length <= MAX_TYPE;
    this.className = isPairable ? digestOf(unqualifiedName(name)) : 0;
    this.rootFrame = this.className !== 0 && typeof trace === 'string' ? digestOf(rootFrameOf(trace)) : 0;
    return true;
  }

  begin(counted: Report | undefined): NewOccurrence {
    this.isPaired = counted !== undefined;
    this.#settlement = undefined;
    this.#claim = new ReportClaim(this, counted);
    if (counted !== undefined) counted.isPaired = true;
    return this.#claim;
  }

  end(isRefused: boolean, settlement: Settlement): void {
    this.#claim = undefined;
    this.#settlement = settlement;
    // It keeps its trace remembered, but equals no report any more.
    if (isRefused) this.type = this.message = this.stack = this.className = 0;
  }

  repeat(): ReturnType<typeof repeatOf> {
    return this.#claim?.repeat() ?? repeatOf(this.#settlement);
  }

  isSameException({ type, message, stack }: Report): boolean {
    return this.message === message && this.stack === stack && this.type === type;
  }

  /**
   * Whether it is of the other signal, unpaired, and counts the same occurrence: OpenTelemetry for Python ends the stack of the one where it
   * is logged and of the other where the span ends. Each report pairs with one other, so an exception that happens twice in a span counts twice.
   */
  isOtherHalfOf({ signal, className, spanId, message, rootFrame }: Report): boolean {
    if (this.isPaired || this.signal === signal || this.className === 0) return false;
    if (this.className !== className || this.spanId !== spanId) return false;
    if (this.message !== 0 && this.message === message) return true;
    return this.rootFrame !== 0 && this.rootFrame === rootFrame;
  }

  /** Whether it is nearer in time to `report` than `other`. */
  isNearer(other: Report, { time }: Report): boolean {
    return distance(this.time, time) < distance(other.time, time);
  }
}

class ReportClaim extends NewOccurrence {
  readonly #report: Report;
  readonly #number: number;
  readonly #counted: Report | undefined;
  readonly #countedNumber: number | undefined;

  constructor(report: Report, counted: Report | undefined) {
    super(counted?.repeat());
    this.#report = report;
    this.#number = report.number;
    this.#counted = counted;
    this.#countedNumber = counted?.number;
  }

  /** The objects may hold newer reports. */
  protected override onEnd(isRefused: boolean, settlement: Settlement): void {
    const counted = this.#counted;
    if (isRefused && counted?.number === this.#countedNumber && counted !== undefined) counted.isPaired = false;
    if (this.#report.number === this.#number) this.#report.end(isRefused, settlement);
  }
}

/** 53 bits: the same exception in another trace must not be taken for a repetition. */
function traceDigest(traceId: string): number {
  let [high, low] = [0, HASH_FACTOR];
  for (let at = 0; at < traceId.length; at++) {
    high = Math.imul(high ^ traceId.charCodeAt(at), HASH_FACTOR);
    low = Math.imul(low ^ traceId.charCodeAt(at), OTHER_FACTOR);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}

/** By the first 12 bits: the multiplications mix the upper ones. */
function bucketOf(trace: number): number {
  return Math.floor(trace / 2 ** 41);
}

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one;
}

/**
 * Digests of type, message and stack together are enough to distinguish exceptions of one trace, and hold no text. V8 stores a number of 32 bits
 * without an object of its own.
 */
function digestOf(value: JsonValue | undefined): number {
  if (value === undefined || value === '') return 0;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  let hash = Math.imul(text.length, HASH_FACTOR);
  if (text.length > SHORT_TEXT) return (crc32(text) ^ hash) | 0 || 1;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_FACTOR);
  return hash | 0 || 1;
}

/** Returns the line of the frame that raised the exception, in Python the last one; empty if the stack has another form. */
function rootFrameOf(stack: string): string {
  // `includes` is many times as fast as `lastIndexOf`.
  const start = stack.includes(PYTHON_FRAME) ? stack.lastIndexOf(PYTHON_FRAME) + 1 : 0;
  return FRAME.exec(stack.slice(start, start + MAX_SEARCHED))?.[0].trim() ?? '';
}
