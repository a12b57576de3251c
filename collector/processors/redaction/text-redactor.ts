import type { RedactionProcessorSettings } from '../../../config/settings.js';
import type { Steps } from '../steps.js';
import type { BuiltinKind, Finding, SecretKind } from './finding.js';
import { MaskedText, type Masking } from './masked-text.js';
import { createMask } from './masks.js';
import { isPlainValue } from './plain-values.js';
import type { Tally } from './tally.js';
import { createTextScanner, MOST_LOOK_BACK } from './text-scanner.js';
import { createSpanFinder, type Span } from './value-patterns.js';

/** Masks secrets in single texts; the same text where there are none. */
export interface TextRedactor {
  readonly kinds: ReadonlySet<BuiltinKind>;
  /** Masks what looks like a secret in a text. */
  parts(text: string, tally: Tally): string;
  /** The same with pauses, for texts of any size. */
  partsInSteps(text: string, tally: Tally): Steps<string>;
  /** Masks a text that is a secret as a whole because of the key under which it stands. */
  whole(text: string, kind: SecretKind, tally: Tally): string;
}

const SCHEME = /^(?:bearer|basic|token|apikey|negotiate|digest|aws4-hmac-sha256|hawk|oauth) {1,8}/i;

/** Units of a text that are looked at without a pause: of the dearest texts these take some milliseconds. Longer texts need pauses. */
export const LONG_TEXT = 8 * 1024;
/** Longest secret that a pattern of `allowed_values` may match as a whole by itself. */
const MAX_ALLOWED_LENGTH = 64 * 1024;

/** Compiles patterns; throws RangeError for one that the configuration check would have found. */
export function createTextRedactor(settings: RedactionProcessorSettings): TextRedactor {
  const kinds = new Set(settings.builtin_patterns);
  const scanner = createTextScanner(kinds);
  const blockedSpans = createSpanFinder(settings.blocked_values, 'matches');
  const allowedSpans = createSpanFinder(settings.allowed_values, 'does-not');
  const hasBlocked = settings.blocked_values.length > 0;
  const hasAllowed = settings.allowed_values.length > 0;
  const mask = createMask(settings.hash_function);

  const isAllowed = (secret: string, { start, end }: Span, spans: readonly Span[]): boolean =>
    spans.some((span) => span.start <= start && end <= span.end) ||
    (secret.length <= MAX_ALLOWED_LENGTH &&
      allowedSpans.inOneGo(secret).some((span) => span.start === 0 && span.end === secret.length));

  const masking =
    (spans: readonly Span[]): Masking =>
    (secret, at) =>
      hasAllowed && isAllowed(secret, at, spans) ? undefined : mask(secret);

  const masked = (text: string, findings: readonly Finding[], tally: Tally): string => {
    const result = new MaskedText(text, masking(hasAllowed ? allowedSpans.inOneGo(text) : []));
    for (const kind of result.take(findings, text.length)) tally.countMasked(kind);
    return result.result;
  };

  return {
    kinds,
    parts(text, tally) {
      const builtin = scanner.inOneGo(text);
      if (!hasBlocked) return builtin.length === 0 ? text : masked(text, builtin, tally);
      const blocked = blockedSpans.inOneGo(text).map(asBlocked);
      return builtin.length + blocked.length === 0 ? text : masked(text, [...builtin, ...blocked], tally);
    },
    *partsInSteps(text, tally) {
      const blocked = (yield* blockedSpans.inSteps(text)).map(asBlocked).sort((one, other) => one.start - other.start);
      const scan = scanner.begin(text);
      const result = new MaskedText(text, masking(yield* allowedSpans.inSteps(text)));
      let to = 0;
      let next = 0;
      while (to < text.length) {
        to = Math.min(to + LONG_TEXT, text.length);
        const findings = [...scan.upTo(to)];
        for (let one = blocked[next]; one !== undefined && one.start < to; one = blocked[next]) {
          findings.push(one);
          next += 1;
        }
        const settled = to === text.length ? to : to - MOST_LOOK_BACK;
        for (const kind of result.take(findings, settled)) tally.countMasked(kind);
        yield;
      }
      return result.result;
    },
    whole(text, kind, tally) {
      if (text === '' || (kind !== 'blocked_keys' && isPlainValue(text))) return text;
      const start = kind === 'bearer_tokens' ? (SCHEME.exec(text)?.[0].length ?? 0) : 0;
      return masked(text, [{ start, end: text.length, headEnd: text.length, kind }], tally);
    },
  };
}

function asBlocked({ start, end }: Span): Finding {
  return { start, end, headEnd: end, kind: 'blocked_values' };
}
