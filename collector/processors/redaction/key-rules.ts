import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { checkedRe2 } from '../event-processor/re2-pattern.js';
import type { Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { secretName } from './detectors/secret-names.js';
import { createSpanFinder } from './detectors/value-patterns.js';
import { namesOfValue } from './paired-members.js';
import { Tally } from './tally.js';
import type { TextRedactor } from './text-redactor.js';

/** How to redact a key and its value. */
interface KeyRule {
  /** The key with its own secrets masked. */
  readonly written: string;
  /** What was masked in the key. */
  readonly tally: Tally;
  /** Whether the value is not scanned. */
  readonly isIgnored: boolean;
  /** Why the whole value is a secret; undefined if only parts of it can be. */
  readonly secret: SecretKind | undefined;
  /** Other keys of the same object that can hold the value's name: `{"name": "Cookie", "value": "a=b"}`. */
  readonly namedBy: readonly string[] | undefined;
  /** Whether `allowed_keys` permits the key. */
  readonly isAllowed: boolean;
}

/** Computes the rules of keys of `tags` and `extra`; caches those of short keys. */
interface KeyRules {
  of(key: string): KeyRule;
  /** `of` with pauses, for keys of any length. */
  ofLong(key: string): Steps<KeyRule>;
}

/** Bounds the cache against senders with ever new keys. */
const MAX_CACHED_KEYS = 4_096;
const MAX_CACHED_KEY_LENGTH = 128;

/** Shared by all keys without secrets. */
const NOTHING_MASKED = new Tally();

/** Compiles the patterns of `settings`; throws RangeError for an invalid one. */
export function createKeyRules(settings: RedactionProcessorSettings, texts: TextRedactor): KeyRules {
  const ignored = new Set(settings.ignored_keys);
  const ignoredPatterns = createKeyPatterns(settings.ignored_key_patterns, 'does-not');
  const blockedPatterns = createKeyPatterns(settings.blocked_key_patterns, 'matches');
  const allowed = new Set(settings.allowed_keys);

  const secretOf = (key: string): SecretKind | undefined => {
    const kind = secretName(key)?.kind;
    return kind !== undefined && texts.kinds.has(kind) ? kind : undefined;
  };

  const rule = (key: string, { written, tally }: Written, ignore: boolean, isBlocked: boolean): KeyRule => ({
    written,
    tally,
    isIgnored: ignore,
    secret: ignore ? undefined : isBlocked ? 'blocked_keys' : secretOf(key),
    namedBy: namesOfValue(key),
    isAllowed: settings.allow_all_keys || allowed.has(key) || ignore,
  });

  const cache = new Map<string, KeyRule>();
  return {
    of(key) {
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const ignore = ignored.has(key) || ignoredPatterns.matches(key);
      const tally = new Tally();
      const written = ignore ? key : texts.redact(key, tally);
      const computed = rule(key, asWritten(written, tally), ignore, !ignore && blockedPatterns.matches(key));
      if (key.length <= MAX_CACHED_KEY_LENGTH && tally.masked === 0) {
        if (cache.size >= MAX_CACHED_KEYS) cache.clear();
        cache.set(key, computed);
      }
      return computed;
    },
    *ofLong(key) {
      const ignore = ignored.has(key) || (yield* ignoredPatterns.matchesInSteps(key));
      const tally = new Tally();
      const written = ignore ? key : yield* texts.redactInSteps(key, tally);
      const isBlocked = !ignore && (yield* blockedPatterns.matchesInSteps(key));
      return rule(key, asWritten(written, tally), ignore, isBlocked);
    },
  };
}

type Written = Pick<KeyRule, 'written' | 'tally'>;

function asWritten(written: string, tally: Tally): Written {
  return { written, tally: tally.masked === 0 ? NOTHING_MASKED : tally };
}

interface KeyPatterns {
  readonly matches: (key: string) => boolean;
  /** The same with pauses; `beyond` is the result if the bounds of the search are reached. */
  readonly matchesInSteps: (key: string) => Steps<boolean>;
}

function createKeyPatterns(patterns: readonly string[], beyond: 'matches' | 'does-not'): KeyPatterns {
  const compiled = patterns.map(checkedRe2);
  const spans = createSpanFinder(patterns, beyond);
  return {
    matches: (key) => compiled.some((pattern) => pattern.test(key)),
    *matchesInSteps(key) {
      return (yield* spans.findInSteps(key)).length > 0;
    },
  };
}
