import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { finishNow, type Steps } from '../event-processor/steps.js';
import { execAt, outsidePair } from './detectors/characters.js';
import { type BuiltinKind, mergeOverlaps, type SecretFinding, type SecretKind } from './detectors/finding.js';
import { isPlainValue, MAX_PLAIN_LENGTH, SCHEME } from './detectors/plain-values.js';
import { SpanFinder, type TextSpan } from './detectors/value-patterns.js';
import type { Tally } from './tally.js';
import { MAX_LOOKBEHIND, TextScanner } from './text-scanner.js';

/** Returns the replacement of a secret, or undefined to keep it. Called once per finding, in text order. */
type MaskSecret = (secret: string, at: SecretFinding) => Steps<string | undefined>;

const NO_FINDINGS: readonly SecretFinding[] = Object.freeze([]);

/** Under `authorization`, what a program decided and why. */
const SENTENCE = /^[A-Z]?[a-z']{1,30}(?: [a-z']{1,30}){2,20}[.!]?$/;
const PARAMETERS = /^[\w.%[\]-]{1,64}=/;

/** Longest text that is scanned without a pause, UTF-16 units. */
export const LONG_TEXT = 8 * 1024;
/** Longest secret that is matched against `allowed_values` by itself, UTF-16 units. */
const MAX_ALLOWED_LENGTH = 64 * 1024;

const ALGORITHMS = { md5: 'md5', sha1: 'sha1', sha3: 'sha3-256' } as const;
const ASTERISKS = '****';
/** UTF-16 units that are hashed without a pause. */
const HASH_CHUNK_UNITS = 256 * 1024;

/** Masks secrets in single texts; returns the same text if it has none. */
export class TextRedactor {
  readonly kinds: ReadonlySet<BuiltinKind>;
  readonly #scanner: TextScanner;
  readonly #blocked: SpanFinder;
  readonly #allowed: SpanFinder;
  readonly #hasBlocked: boolean;
  readonly #hasAllowed: boolean;
  readonly #mask: (secret: string) => Steps<string>;
  /** Texts without secrets that recur, such as stacks. */
  readonly #clean = new LRUCache<string, true>({ maxSize: MAX_CLEAN_UNITS, sizeCalculation: (_, text) => text.length });

  /** Marks of texts without secrets that were seen once or more. */
  readonly #marks = new LRUCache<string, true>({ max: MAX_MARKS });

  /** Compiles the patterns of `settings`; throws RangeError for an invalid one. `mark` replaces what is not hashed. */
  constructor(settings: RedactionProcessorSettings, mark: string = ASTERISKS) {
    this.kinds = new Set(settings.builtin_patterns);
    this.#scanner = new TextScanner(this.kinds);
    this.#blocked = new SpanFinder(settings.blocked_values, 'matches');
    this.#allowed = new SpanFinder(settings.allowed_values, 'does-not');
    this.#hasBlocked = settings.blocked_values.length > 0;
    this.#hasAllowed = settings.allowed_values.length > 0;
    this.#mask = createMask(settings.hash_function, mark);
  }

  /** Masks the secrets found in a text. */
  redact(text: string, tally: Tally): string {
    if (this.#isClean(text)) return text;
    const before = tally.masked;
    const builtin = this.#scanner.scan(text);
    const findings = this.#hasBlocked ? [...builtin, ...this.#blocked.find(text).map(asBlocked)] : builtin;
    const result = findings.length === 0 ? text : finishNow(this.#maskAll(text, findings, tally));
    if (tally.masked === before) this.#addClean(text);
    return result;
  }

  /** `redact` with pauses, for texts of any size. */
  *redactInSteps(text: string, tally: Tally): Steps<string> {
    if (text.length <= LONG_TEXT) return this.redact(text, tally);
    if (this.#isClean(text)) return text;
    const before = tally.masked;
    const result = yield* this.#scanInSteps(text, tally);
    if (tally.masked === before) this.#addClean(text);
    return result;
  }

  /** `redactInSteps` for the text of a header, a query or a form, which can begin with a parameter: `sid=x&a=b`. */
  *redactCarried(text: string, tally: Tally): Steps<string> {
    if (!beginsWithParameter(text)) return yield* this.redactInSteps(text, tally);
    const query = `?${text}`;
    const result = yield* this.redactInSteps(query, tally);
    return result === query ? text : result.slice(1);
  }

  /** Masks a whole text of any size because its key names a secret; keeps plain values. */
  *redactWhole(text: string, kind: SecretKind, tally: Tally): Steps<string> {
    const finding = wholeAsFinding(text, kind);
    return finding === undefined ? text : yield* this.#maskAll(text, [finding], tally);
  }

  *#maskAll(text: string, findings: readonly SecretFinding[], tally: Tally): Steps<string> {
    const masked = yield* this.#beginMasking(text, tally);
    yield* masked.add(findings, text.length);
    return masked.result();
  }

  *#scanInSteps(text: string, tally: Tally): Steps<string> {
    const spans = yield* this.#blocked.findInSteps(text);
    const blocked = spans.map(asBlocked).sort((one, other) => one.start - other.start);
    const scan = this.#scanner.beginScan(text);
    const masked = yield* this.#beginMasking(text, tally);
    let to = 0;
    let next = 0;
    while (to < text.length) {
      to = Math.min(to + LONG_TEXT, text.length);
      const findings = [...scan.scanTo(to)];
      for (let finding = blocked[next]; finding !== undefined && finding.start < to; finding = blocked[next]) {
        findings.push(finding);
        next += 1;
      }
      yield* masked.add(findings, to === text.length ? to : to - MAX_LOOKBEHIND);
      yield;
    }
    return masked.result();
  }

  /** Begins to mask a text; keeps what `allowed_values` permits. */
  *#beginMasking(text: string, tally: Tally): Steps<MaskedText> {
    const spans = yield* this.#allowed.findInSteps(text);
    return new MaskedText(text, tally, (secret, at) => this.#maskUnlessAllowed(secret, at, spans));
  }

  *#maskUnlessAllowed(secret: string, at: TextSpan, allowed: readonly TextSpan[]): Steps<string | undefined> {
    return this.#hasAllowed && this.#isAllowed(secret, at, allowed) ? undefined : yield* this.#mask(secret);
  }

  #isAllowed(secret: string, { start, end }: TextSpan, spans: readonly TextSpan[]): boolean {
    if (spans.some((span) => span.start <= start && end <= span.end)) return true;
    if (secret.length > MAX_ALLOWED_LENGTH) return false;
    return this.#allowed.find(secret).some((span) => span.start === 0 && span.end === secret.length);
  }

  #isClean(text: string): boolean {
    return isCacheable(text) && this.#clean.get(text) === true;
  }

  /** A text is added when one with its mark comes a second time, because most never do. */
  #addClean(text: string): void {
    if (!isCacheable(text)) return;
    const mark = markOf(text);
    if (this.#marks.get(mark) === undefined) {
      this.#marks.set(mark, true);
      return;
    }
    // A slice would keep its whole text alive. UTF-8 cannot represent a lone surrogate.
    const copy = Buffer.from(text).toString();
    if (copy === text) this.#clean.set(copy, true);
  }
}

/** UTF-16 units of all texts that are known to be clean. */
const MAX_CLEAN_UNITS = 2 * 1024 * 1024;
/** Scanning a shorter text is cheaper than caching it; V8 hashes all texts of one length beyond the upper limit alike. */
const MIN_CLEAN_LENGTH = 200;
const MAX_CLEAN_LENGTH = 16_000;

/** Texts that were seen once or more. */
const MAX_MARKS = 4_096;
const MARK_UNITS = 64;

function markOf(text: string): string {
  return `${text.length} ${text.slice(0, MARK_UNITS)} ${text.slice(-MARK_UNITS)}`;
}

function isCacheable({ length }: string): boolean {
  return length >= MIN_CLEAN_LENGTH && length <= MAX_CLEAN_LENGTH;
}

/** Whether a text begins with a parameter: `sid=x&a=b`. */
export function beginsWithParameter(text: string): boolean {
  return PARAMETERS.test(text);
}

/** Whether a text whose name is that of a secret is one: not empty, a placeholder or a word of a sentence. */
export function isWholeSecret(text: string, kind: SecretKind): boolean {
  return wholeAsFinding(text, kind) !== undefined;
}

/** Returns the whole text as a secret, without its scheme; undefined for plain values. */
function wholeAsFinding(text: string, kind: SecretKind): SecretFinding | undefined {
  const start = kind === 'bearer_tokens' ? (execAt(SCHEME, text, 0)?.[0].length ?? 0) : 0;
  const head = text.slice(start, start + MAX_PLAIN_LENGTH + 1);
  const isDecision = kind === 'bearer_tokens' && SENTENCE.test(head);
  if (text === '' || (kind !== 'blocked_keys' && (isPlainValue(head) || isDecision))) return undefined;
  return { start, end: text.length, headEnd: text.length, kind };
}

function asBlocked({ start, end }: TextSpan): SecretFinding {
  return { start, end, headEnd: end, kind: 'blocked_values' };
}

function createMask(
  hash: RedactionProcessorSettings['hash_function'],
  mark: string,
): (secret: string) => Steps<string> {
  return function* (secret) {
    if (hash === 'none') return mark;
    const hashed = createHash(ALGORITHMS[hash]);
    for (let at = 0; at < secret.length; ) {
      const end = outsidePair(secret, at + HASH_CHUNK_UNITS);
      hashed.update(secret.slice(at, end));
      at = end;
      yield;
    }
    return hashed.digest('hex');
  };
}

/** Masks a text, also while the rest of it is still being scanned, and counts what it masks. */
class MaskedText {
  readonly #text: string;
  readonly #tally: Tally;
  readonly #maskOf: MaskSecret;
  readonly #pieces: string[] = [];
  /** End of the masked part. */
  #at = 0;
  /** Findings that a later one may still overlap. */
  #open: readonly SecretFinding[] = NO_FINDINGS;

  constructor(text: string, tally: Tally, maskOf: MaskSecret) {
    this.#text = text;
    this.#tally = tally;
    this.#maskOf = maskOf;
  }

  /** Adds findings; later ones must begin at or after `settled`. */
  *add(findings: readonly SecretFinding[], settled: number): Steps<void> {
    if (findings.length === 0 && this.#open.length === 0) return;
    const merged = mergeOverlaps([...this.#open, ...findings]);
    const firstOpen = merged.findIndex(({ end }) => end > settled);
    const closed = firstOpen < 0 ? merged : merged.slice(0, firstOpen);
    this.#open = firstOpen < 0 ? NO_FINDINGS : merged.slice(firstOpen);
    for (const finding of closed) {
      const { start, end, kind } = finding;
      const mask = yield* this.#maskOf(this.#text.slice(start, end), finding);
      if (mask === undefined) continue;
      this.#pieces.push(this.#text.slice(this.#at, start), mask);
      this.#at = end;
      this.#tally.countMasked(kind);
    }
  }

  /** The same text if nothing was masked. */
  result(): string {
    return this.#at === 0 ? this.#text : this.#pieces.join('') + this.#text.slice(this.#at);
  }
}
