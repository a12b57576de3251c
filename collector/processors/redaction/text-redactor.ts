import { createHash } from 'node:crypto';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import type { Steps } from '../event-processor/steps.js';
import { CleanTexts, hashOf } from './clean-texts.js';
import { outsidePair } from './detectors/characters.js';
import type { BuiltinKind, SecretFinding, SecretKind } from './detectors/finding.js';
import { isPlainValue } from './detectors/plain-values.js';
import { createSpanFinder, type TextSpan } from './detectors/value-patterns.js';
import { MaskedText, type Masking, maskedText } from './masked-text.js';
import type { Tally } from './tally.js';
import { createTextScanner, MAX_LOOKBEHIND } from './text-scanner.js';

/** Masks secrets in single texts; returns the same text if it has none. */
export interface TextRedactor {
  readonly kinds: ReadonlySet<BuiltinKind>;
  /** Masks the secrets found in a text. */
  parts(text: string, tally: Tally): string;
  /** The same with pauses, for texts of any size. */
  partsInSteps(text: string, tally: Tally): Steps<string>;
  /** Masks a whole text because its key names a secret. */
  whole(text: string, kind: SecretKind, tally: Tally): string;
  /** The same with pauses, for texts of any size. */
  wholeInSteps(text: string, kind: SecretKind, tally: Tally): Steps<string>;
}

const SCHEME = /^(?:bearer|basic|token|apikey|negotiate|digest|aws4-hmac-sha256|hawk|oauth) {1,8}/i;

/** Units of a text that are scanned without a pause: up to some milliseconds. */
export const LONG_TEXT = 8 * 1024;
/** Longest secret that a pattern of `allowed_values` may match as a whole by itself. */
const MAX_ALLOWED_LENGTH = 64 * 1024;

/** Replaces a secret: asterisks, or the hexadecimal hash of its UTF-8 bytes. */
interface Mask {
  readonly inOneGo: (secret: string) => string;
  /** The same with pauses, for secrets of any size. */
  readonly inSteps: (secret: string) => Steps<string>;
}
const ALGORITHMS = { md5: 'md5', sha1: 'sha1', sha3: 'sha3-256' } as const;
const ASTERISKS = '****';
/** Units that are hashed without a pause: about a millisecond. */
const PIECE = 256 * 1024;

/** Throws RangeError for a pattern that the configuration check refuses. */
export function createTextRedactor(settings: RedactionProcessorSettings): TextRedactor {
  const kinds = new Set(settings.builtin_patterns);
  const scanner = createTextScanner(kinds);
  const blockedSpans = createSpanFinder(settings.blocked_values, 'matches');
  const allowedSpans = createSpanFinder(settings.allowed_values, 'does-not');
  const hasBlocked = settings.blocked_values.length > 0;
  const hasAllowed = settings.allowed_values.length > 0;
  const mask = createMask(settings.hash_function);

  const clean = new CleanTexts();

  const isAllowed = (secret: string, { start, end }: TextSpan, spans: readonly TextSpan[]): boolean =>
    spans.some((span) => span.start <= start && end <= span.end) ||
    (secret.length <= MAX_ALLOWED_LENGTH &&
      allowedSpans.inOneGo(secret).some((span) => span.start === 0 && span.end === secret.length));

  const maskIn = (text: string, findings: readonly SecretFinding[], tally: Tally): string => {
    if (!hasAllowed) return maskedText(text, findings, mask.inOneGo, tally);
    const spans = allowedSpans.inOneGo(text);
    return maskedText(
      text,
      findings,
      (secret, at) => (isAllowed(secret, at, spans) ? undefined : mask.inOneGo(secret)),
      tally,
    );
  };

  const maskingInSteps = (spans: readonly TextSpan[]): Masking<Steps<string | undefined>> =>
    function* (secret, at) {
      return hasAllowed && isAllowed(secret, at, spans) ? undefined : yield* mask.inSteps(secret);
    };

  const lookAt = (text: string, tally: Tally): string => {
    const builtin = scanner.inOneGo(text);
    if (!hasBlocked) return builtin.length === 0 ? text : maskIn(text, builtin, tally);
    const blocked = blockedSpans.inOneGo(text).map(asBlocked);
    return builtin.length + blocked.length === 0 ? text : maskIn(text, [...builtin, ...blocked], tally);
  };

  function* lookInSteps(text: string, tally: Tally): Steps<string> {
    const blocked = (yield* blockedSpans.inSteps(text)).map(asBlocked).sort((one, other) => one.start - other.start);
    const scan = scanner.begin(text);
    const result = new MaskedText(text, maskingInSteps(yield* allowedSpans.inSteps(text)));
    let to = 0;
    let next = 0;
    while (to < text.length) {
      to = Math.min(to + LONG_TEXT, text.length);
      const findings = [...scan.scanTo(to)];
      for (let one = blocked[next]; one !== undefined && one.start < to; one = blocked[next]) {
        findings.push(one);
        next += 1;
      }
      const settled = to === text.length ? to : to - MAX_LOOKBEHIND;
      for (const kind of yield* result.take(findings, settled)) tally.countMasked(kind);
      yield;
    }
    return result.result;
  }

  return {
    kinds,
    parts(text, tally) {
      const print = hashOf(text);
      if (clean.has(text, print)) return text;
      const before = tally.masked;
      const result = lookAt(text, tally);
      if (tally.masked === before) clean.addClean(text, print);
      return result;
    },
    *partsInSteps(text, tally) {
      const print = hashOf(text);
      if (clean.has(text, print)) return text;
      const before = tally.masked;
      const result = yield* lookInSteps(text, tally);
      if (tally.masked === before) clean.addClean(text, print);
      return result;
    },
    whole(text, kind, tally) {
      const found = wholeOf(text, kind);
      return found === undefined ? text : maskIn(text, [found], tally);
    },
    *wholeInSteps(text, kind, tally) {
      const found = wholeOf(text, kind);
      if (found === undefined) return text;
      const result = new MaskedText(text, maskingInSteps(yield* allowedSpans.inSteps(text)));
      for (const masked of yield* result.take([found], text.length)) tally.countMasked(masked);
      return result.result;
    },
  };
}

/** The whole text as a secret, without its scheme; undefined for plain values. */
function wholeOf(text: string, kind: SecretKind): SecretFinding | undefined {
  if (text === '' || (kind !== 'blocked_keys' && isPlainValue(text))) return undefined;
  const start = kind === 'bearer_tokens' ? (SCHEME.exec(text)?.[0].length ?? 0) : 0;
  return { start, end: text.length, headEnd: text.length, kind };
}

function asBlocked({ start, end }: TextSpan): SecretFinding {
  return { start, end, headEnd: end, kind: 'blocked_values' };
}

/** Builds the mask of a setting. */
function createMask(hash: RedactionProcessorSettings['hash_function']): Mask {
  if (hash === 'none') {
    return {
      inOneGo: () => ASTERISKS,
      // biome-ignore lint/correctness/useYield: there is nothing to pause at.
      *inSteps() {
        return ASTERISKS;
      },
    };
  }
  const algorithm = ALGORITHMS[hash];
  return {
    inOneGo: (secret) => createHash(algorithm).update(secret).digest('hex'),
    *inSteps(secret) {
      const hashed = createHash(algorithm);
      for (let at = 0; at < secret.length; ) {
        const end = outsidePair(secret, at + PIECE);
        hashed.update(secret.slice(at, end));
        at = end;
        yield;
      }
      return hashed.digest('hex');
    },
  };
}
