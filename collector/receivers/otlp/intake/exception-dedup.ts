import { crc32 } from '@node-rs/crc32';
import { unqualifiedName } from '../../../../core/event/class-name.js';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import type { Settlement } from '../../intake/pending-records.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { type Claim, NewOccurrence, type RepeatedOccurrence, repeatOf } from './new-occurrence.js';

interface ExceptionDedupOptions {
  /** How long the reports of a trace are remembered after its latest; `Infinity`: until newer ones evict them. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Reports of all traces, and of one. */
const MAX_REPORTS = 10_000;
const MAX_REPORTS_OF_TRACE = 1_000;
const FIRST_ROWS = 128;
const BUCKETS = 4_096;
const MAX_TYPE = 256;
/** UTF-16 units of a stack that are searched for a frame. */
const MAX_SEARCHED = 8_192;
const FRAME = /^[ \t]*(?:at |#0|File ")[^\n]*/m;
const PYTHON_FRAME = '  File "';
const ALWAYS_NEW = new NewOccurrence();
/** Spreads lengths over 32 bits. */
const HASH_FACTOR = 0x9e3779b1;
const OTHER_FACTOR = 0x85ebca6b;
/** Shorter texts are hashed here: calling `crc32` takes longer. */
const SHORT_TEXT = 160;

/** A row of `#wide`: number of the report before in its bucket, arrival, digest of the trace, and nanoseconds as a BigInt. */
const [BEFORE, ARRIVED_MS, TRACE, TIME, WIDE_FIELDS] = [0, 1, 2, 3, 4];
/** A row of `#small`: digests, 0 where the report says nothing; without a name of its class it cannot be paired. */
const [TYPE, MESSAGE, STACK, SPAN, CLASS_NAME, ROOT_FRAME] = [0, 1, 2, 3, 4, 5];
/** Further fields of that row: whether it is of a span, and whether the other signal has reported the occurrence as well. */
const [IS_OF_SPAN, IS_PAIRED] = [6, 7];
/** Digests of the names under which it is stored. */
const [APP, SERVICE, SMALL_FIELDS] = [8, 9, 10];

/**
 * Recently reported exceptions. An exception may be recorded on every span that it passes, and again as a log record (`logs/dup`). The same
 * exception of a trace is a new occurrence only if the same span and signal report it with another time. A log record and a span event
 * with another stack are one occurrence as well, but both are stored (decision 0033). Reports under two services are two occurrences.
 * Bounded in time and number. Reports are rows of numbers: objects would grow old with all their numbers, and cost the garbage collector
 * more than all work on them.
 */
export class ExceptionDedup {
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  /** Rings, of which the row after the newest report's is that of the next. */
  #wide = new Float64Array(FIRST_ROWS * WIDE_FIELDS);
  #times = new BigUint64Array(this.#wide.buffer);
  #small = new Int32Array(FIRST_ROWS * SMALL_FIELDS);
  /** By row: the claim until it is settled, then what became of it. */
  readonly #outcomes: (NewOccurrence | Settlement)[] = [];
  /** Number of the newest report by bucket of its trace; -1: none. */
  readonly #newest = new Float64Array(BUCKETS).fill(-1);
  #lastNumber = -1;

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
    this.#windowMs = windowMs;
    this.#nowMs = nowMs;
  }

  /** `payload`: what the failure is mapped to. */
  claim(failure: OtlpFailure, payload: JsonObject): Claim {
    const number = this.#lastNumber + 1;
    const row = rowOf(number);
    this.#reserve(row);
    if (!this.#read(failure, payload, row)) return ALWAYS_NEW;
    const [wide, small] = [this.#wide, this.#small];
    const trace = wide[row * WIDE_FIELDS + TRACE] ?? 0;
    let newerMs = this.#nowMs();
    wide[row * WIDE_FIELDS + ARRIVED_MS] = newerMs;
    let first: number | undefined;
    let atSameTime: number | undefined;
    let otherHalf: number | undefined;
    const newest = this.#newest[bucketOf(trace)] ?? -1;
    for (let one = newest, ofTrace = 0; this.#isHeld(one) && ofTrace < MAX_REPORTS_OF_TRACE; ) {
      const at = rowOf(one) * WIDE_FIELDS;
      if (wide[at + TRACE] === trace) {
        ofTrace++;
        const arrivedMs = wide[at + ARRIVED_MS] ?? 0;
        if (newerMs - arrivedMs > this.#windowMs) break;
        newerMs = arrivedMs;
        if (isSameException(small, rowOf(one), row)) {
          first = one;
          if (this.#timeOf(one) === this.#timeOf(number)) atSameTime = one;
        }
        if (isOtherHalf(small, rowOf(one), row) && !this.#isNearer(otherHalf, one, number)) otherHalf = one;
      }
      one = wide[at + BEFORE] ?? -1;
    }
    const isSameOrigin =
      first !== undefined && isEqual(small, rowOf(first), row, IS_OF_SPAN) && isEqual(small, rowOf(first), row, SPAN);
    const repeated = isSameOrigin ? atSameTime : first;
    if (repeated === undefined) return this.#add(number, trace, otherHalf);
    if (!isEqual(small, rowOf(repeated), row, IS_OF_SPAN)) this.setPaired(repeated, true);
    return this.#repeat(repeated);
  }

  /** Called once for each new report: it is stored or rejected for good, or was refused and equals no report any more. */
  end(number: number, isRefused: boolean, settlement: Settlement): void {
    if (!this.#isHeld(number)) return;
    this.#outcomes[rowOf(number)] = settlement;
    // It keeps its trace remembered.
    if (isRefused) this.#small.fill(0, rowOf(number) * SMALL_FIELDS, rowOf(number) * SMALL_FIELDS + ROOT_FRAME);
  }

  /** Whether a report was counted by another one. */
  setPaired(number: number, isPaired: boolean): void {
    if (this.#isHeld(number)) this.#small[rowOf(number) * SMALL_FIELDS + IS_PAIRED] = Number(isPaired);
  }

  #add(number: number, trace: number, counted: number | undefined): Claim {
    const bucket = bucketOf(trace);
    this.#wide[rowOf(number) * WIDE_FIELDS + BEFORE] = this.#newest[bucket] ?? -1;
    this.#newest[bucket] = number;
    this.#lastNumber = number;
    if (counted !== undefined) this.setPaired(counted, true);
    this.setPaired(number, counted !== undefined);
    const claim = new ReportClaim(this, number, counted, counted === undefined ? undefined : this.#repeat(counted));
    this.#outcomes[rowOf(number)] = claim;
    return claim;
  }

  #repeat(number: number): RepeatedOccurrence {
    const outcome = this.#outcomes[rowOf(number)];
    return outcome instanceof NewOccurrence ? outcome.repeat() : repeatOf(outcome);
  }

  /** Whether no newer report has its row, or will have it next. */
  #isHeld(number: number): boolean {
    return number >= 0 && this.#lastNumber - number < MAX_REPORTS - 1;
  }

  /** Makes room for a row. */
  #reserve(row: number): void {
    if (row * SMALL_FIELDS < this.#small.length) return;
    const [wide, small] = [this.#wide, this.#small];
    this.#wide = new Float64Array(2 * wide.length);
    this.#wide.set(wide);
    this.#times = new BigUint64Array(this.#wide.buffer);
    this.#small = new Int32Array(2 * small.length);
    this.#small.set(small);
  }

  /** Writes a row. Returns false without a trace or an exception, because equal failures are then separate occurrences. */
  #read(failure: OtlpFailure, payload: JsonObject, row: number): boolean {
    const { traceId, spanId } = traceOf(failure);
    const attributes = failureAttributes(failure);
    if (traceId === '' || !hasException(attributes)) return false;
    const name = attributes.get('exception.type');
    const stack = attributes.get('exception.stacktrace');
    const small = this.#small;
    const at = row * SMALL_FIELDS;
    small[at + TYPE] = digestOf(name);
    small[at + MESSAGE] = digestOf(attributes.get('exception.message'));
    small[at + STACK] = digestOf(stack);
    if (small[at + TYPE] === 0 && small[at + MESSAGE] === 0 && small[at + STACK] === 0) return false;
    this.#wide[row * WIDE_FIELDS + TRACE] = traceDigest(traceId);
    this.#times[row * WIDE_FIELDS + TIME] = timeOf(failure);
    small[at + APP] = digestOf(payload['app']);
    small[at + SERVICE] = digestOf(payload['service']);
    small[at + SPAN] = digestOf(spanId);
    small[at + IS_OF_SPAN] = Number(failure.signal === 'span_event');
    const isPairable = spanId !== '' && typeof name === 'string' && name.length <= MAX_TYPE;
    small[at + CLASS_NAME] = isPairable ? digestOf(unqualifiedName(name)) : 0;
    small[at + ROOT_FRAME] = isPairable && typeof stack === 'string' ? digestOf(rootFrameOf(stack)) : 0;
    return true;
  }

  #timeOf(number: number): bigint {
    return this.#times[rowOf(number) * WIDE_FIELDS + TIME] ?? 0n;
  }

  /** Whether `one` is nearer in time to `to` than `other`. */
  #isNearer(one: number | undefined, other: number, to: number): boolean {
    if (one === undefined) return false;
    const time = this.#timeOf(to);
    return distance(this.#timeOf(one), time) < distance(this.#timeOf(other), time);
  }
}

function rowOf(number: number): number {
  return number % MAX_REPORTS;
}

function isEqual(small: Int32Array, one: number, other: number, field: number): boolean {
  return small[one * SMALL_FIELDS + field] === small[other * SMALL_FIELDS + field];
}

/** Whether both are issues of one service. */
function isSameService(small: Int32Array, one: number, other: number): boolean {
  return isEqual(small, one, other, APP) && isEqual(small, one, other, SERVICE);
}

/** Whether `one` has no stack and `other` has one. */
function lacksStack(small: Int32Array, one: number, other: number): boolean {
  return small[one * SMALL_FIELDS + STACK] === 0 && small[other * SMALL_FIELDS + STACK] !== 0;
}

function isSameException(small: Int32Array, one: number, other: number): boolean {
  if (!isSameService(small, one, other)) return false;
  return isEqual(small, one, other, MESSAGE) && isEqual(small, one, other, STACK) && isEqual(small, one, other, TYPE);
}

/**
 * Whether it is of the other signal, unpaired, and counts the same occurrence: OpenTelemetry for Python ends the stack of the one where it
 * is logged and of the other where the span ends. Each report pairs with one other, so an exception that happens twice in a span counts twice.
 * An earlier report without a stack does not count one that has it, because the latter is an issue of its own.
 */
function isOtherHalf(small: Int32Array, one: number, other: number): boolean {
  const at = one * SMALL_FIELDS;
  if (small[at + IS_PAIRED] !== 0 || isEqual(small, one, other, IS_OF_SPAN) || small[at + CLASS_NAME] === 0)
    return false;
  if (!isSameService(small, one, other) || lacksStack(small, one, other)) return false;
  if (!isEqual(small, one, other, CLASS_NAME) || !isEqual(small, one, other, SPAN)) return false;
  if (small[at + MESSAGE] !== 0 && isEqual(small, one, other, MESSAGE)) return true;
  return small[at + ROOT_FRAME] !== 0 && isEqual(small, one, other, ROOT_FRAME);
}

class ReportClaim extends NewOccurrence {
  readonly #dedup: ExceptionDedup;
  readonly #number: number;
  readonly #counted: number | undefined;

  /** `counted`: number of the report that counts the occurrence; undefined: this one. */
  constructor(
    dedup: ExceptionDedup,
    number: number,
    counted: number | undefined,
    countedBy: RepeatedOccurrence | undefined,
  ) {
    super(countedBy);
    this.#dedup = dedup;
    this.#number = number;
    this.#counted = counted;
  }

  protected override onEnd(isRefused: boolean, settlement: Settlement): void {
    if (isRefused && this.#counted !== undefined) this.#dedup.setPaired(this.#counted, false);
    this.#dedup.end(this.#number, isRefused, settlement);
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

/** Digests of type, message and stack together are enough to distinguish exceptions of one trace, and hold no text. */
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
  const first = frameIn(stack);
  const isPython = first.startsWith(PYTHON_FRAME);
  return (isPython ? frameIn(stack.slice(stack.lastIndexOf(`\n${PYTHON_FRAME}`) + 1)) : first).trim();
}

function frameIn(text: string): string {
  return FRAME.exec(text.slice(0, MAX_SEARCHED))?.[0] ?? '';
}
