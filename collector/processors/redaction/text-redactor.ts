import { createHash } from 'node:crypto';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { finishNow, type Steps } from '../event-processor/steps.js';
import { CleanTexts, hashOf } from './clean-texts.js';
import { outsidePair } from './detectors/characters.js';
import { type BuiltinKind, mergeOverlaps, type SecretFinding, type SecretKind } from './detectors/finding.js';
import { isPlainValue } from './detectors/plain-values.js';
import { SpanFinder, type TextSpan } from './detectors/value-patterns.js';
import type { Tally } from './tally.js';
import { MAX_LOOKBEHIND, TextScanner } from './text-scanner.js';

/** Returns the replacement of a secret, or undefined to keep it. Called once per finding, in text order. */
type MaskSecret = (secret: string, at: SecretFinding) => Steps<string | undefined>;

const NO_FINDINGS: readonly SecretFinding[] = Object.freeze([]);

/** Masks secrets in single texts; returns the same text if it has none. */
export type TextRedactor = ReturnType<typeof createTextRedactor>;

const SCHEME = /^(?:bearer|basic|token|apikey|negotiate|digest|aws4-hmac-sha256|hawk|oauth) {1,8}/i;

/** Longest text that is scanned without a pause, UTF-16 units. */
export const LONG_TEXT = 8 * 1024;
/** Longest secret that is matched against `allowed_values` by itself, UTF-16 units. */
const MAX_ALLOWED_LENGTH = 64 * 1024;

const ALGORITHMS = { md5: 'md5', sha1: 'sha1', sha3: 'sha3-256' } as const;
const ASTERISKS = '****';
/** UTF-16 units that are hashed without a pause. */
const HASH_CHUNK_UNITS = 256 * 1024;

/** Compiles the patterns of `settings`; throws RangeError for an invalid one. */
export function createTextRedactor(settings: RedactionProcessorSettings) {
  const kinds: ReadonlySet<BuiltinKind> = new Set(settings.builtin_patterns);
  const scanner = new TextScanner(kinds);
  const blockedSpans = new SpanFinder(settings.blocked_values, 'matches');
  const allowedSpans = new SpanFinder(settings.allowed_values, 'does-not');
  const hasBlocked = settings.blocked_values.length > 0;
  const hasAllowed = settings.allowed_values.length > 0;
  const mask = createMask(settings.hash_function);
  const clean = new CleanTexts();

  const isAllowed = (secret: string, { start, end }: TextSpan, spans: readonly TextSpan[]): boolean =>
    spans.some((span) => span.start <= start && end <= span.end) ||
    (secret.length <= MAX_ALLOWED_LENGTH &&
      allowedSpans.find(secret).some((span) => span.start === 0 && span.end === secret.length));

  /** Begins to mask a text; keeps what `allowed_values` permits. */
  function* beginMasking(text: string, tally: Tally): Steps<ReturnType<typeof createMasked>> {
    const spans = yield* allowedSpans.findInSteps(text);
    const masking = function* (secret: string, at: TextSpan): Steps<string | undefined> {
      return hasAllowed && isAllowed(secret, at, spans) ? undefined : yield* mask(secret);
    };
    return createMasked(text, masking, tally);
  }

  function* maskAll(text: string, findings: readonly SecretFinding[], tally: Tally): Steps<string> {
    const masked = yield* beginMasking(text, tally);
    yield* masked.add(findings, text.length);
    return masked.result();
  }

  function* scanInSteps(text: string, tally: Tally): Steps<string> {
    const blocked = (yield* blockedSpans.findInSteps(text))
      .map(asBlocked)
      .sort((one, other) => one.start - other.start);
    const scan = scanner.beginScan(text);
    const masked = yield* beginMasking(text, tally);
    let to = 0;
    let next = 0;
    while (to < text.length) {
      to = Math.min(to + LONG_TEXT, text.length);
      const findings = [...scan.scanTo(to)];
      for (let one = blocked[next]; one !== undefined && one.start < to; one = blocked[next]) {
        findings.push(one);
        next += 1;
      }
      yield* masked.add(findings, to === text.length ? to : to - MAX_LOOKBEHIND);
      yield;
    }
    return masked.result();
  }

  return {
    kinds,
    /** Masks the secrets found in a text. */
    redact(text: string, tally: Tally): string {
      const hash = hashOf(text);
      if (clean.has(text, hash)) return text;
      const before = tally.masked;
      const builtin = scanner.scan(text);
      const findings = hasBlocked ? [...builtin, ...blockedSpans.find(text).map(asBlocked)] : builtin;
      const result = findings.length === 0 ? text : finishNow(maskAll(text, findings, tally));
      if (tally.masked === before) clean.addClean(text, hash);
      return result;
    },
    /** `redact` with pauses, for texts of any size. */
    *redactInSteps(text: string, tally: Tally): Steps<string> {
      if (text.length <= LONG_TEXT) return this.redact(text, tally);
      const hash = hashOf(text);
      if (clean.has(text, hash)) return text;
      const before = tally.masked;
      const result = yield* scanInSteps(text, tally);
      if (tally.masked === before) clean.addClean(text, hash);
      return result;
    },
    /** Masks a whole text of any size because its key names a secret; keeps plain values. */
    *redactWhole(text: string, kind: SecretKind, tally: Tally): Steps<string> {
      const finding = wholeAsFinding(text, kind);
      return finding === undefined ? text : yield* maskAll(text, [finding], tally);
    },
  };
}

/** Returns the whole text as a secret, without its scheme; undefined for plain values. */
function wholeAsFinding(text: string, kind: SecretKind): SecretFinding | undefined {
  if (text === '' || (kind !== 'blocked_keys' && isPlainValue(text))) return undefined;
  const start = kind === 'bearer_tokens' ? (SCHEME.exec(text)?.[0].length ?? 0) : 0;
  return { start, end: text.length, headEnd: text.length, kind };
}

function asBlocked({ start, end }: TextSpan): SecretFinding {
  return { start, end, headEnd: end, kind: 'blocked_values' };
}

function createMask(hash: RedactionProcessorSettings['hash_function']): (secret: string) => Steps<string> {
  return function* (secret) {
    if (hash === 'none') return ASTERISKS;
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
function createMasked(text: string, masking: MaskSecret, tally: Tally) {
  const pieces: string[] = [];
  /** End of the masked part. */
  let at = 0;
  /** Findings that a later one may still overlap. */
  let open: readonly SecretFinding[] = NO_FINDINGS;
  return {
    /** Adds findings; later ones must begin at or after `settled`. */
    *add(findings: readonly SecretFinding[], settled: number): Steps<void> {
      if (findings.length === 0 && open.length === 0) return;
      const merged = mergeOverlaps([...open, ...findings]);
      const firstOpen = merged.findIndex(({ end }) => end > settled);
      const closed = firstOpen < 0 ? merged : merged.slice(0, firstOpen);
      open = firstOpen < 0 ? NO_FINDINGS : merged.slice(firstOpen);
      let written = '';
      for (const finding of closed) {
        const { start, end, kind } = finding;
        const mask = yield* masking(text.slice(start, end), finding);
        if (mask === undefined) continue;
        written += text.slice(at, start) + mask;
        at = end;
        tally.countMasked(kind);
      }
      if (written !== '') pieces.push(written);
    },

    /** The same text if nothing was masked. */
    result: (): string => (at === 0 ? text : pieces.join('') + text.slice(at)),
  };
}
