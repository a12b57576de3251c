import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { checkedRe2 } from '../event-processor/re2-pattern.js';
import { finishNow, type Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { secretName } from './detectors/secret-names.js';
import { SpanFinder } from './detectors/value-patterns.js';
import { namesOfValue } from './paired-members.js';
import { Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';

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

/** Bounds the cache against senders with ever new keys. */
const MAX_CACHED_KEYS = 4_096;
const MAX_CACHED_KEY_LENGTH = 128;

/** Shared by all keys without secrets. */
const NOTHING_MASKED = new Tally();

/** Creates the rules of keys of `tags` and `extra`. Throws RangeError for an invalid pattern of `settings`. */
export function createKeyRules(settings: RedactionProcessorSettings, texts: TextRedactor) {
  const ignored = new Set(settings.ignored_keys);
  const ignoredPatterns = createKeyPatterns(settings.ignored_key_patterns, 'does-not');
  const blockedPatterns = createKeyPatterns(settings.blocked_key_patterns, 'matches');
  const allowed = new Set(settings.allowed_keys);

  const secretOf = (key: string): SecretKind | undefined => {
    const kind = secretName(key)?.kind;
    return kind !== undefined && texts.kinds.has(kind) ? kind : undefined;
  };

  /** The rule of a key of any length, with pauses and without the cache. */
  function* inSteps(key: string): Steps<KeyRule> {
    const isIgnored = ignored.has(key) || (yield* ignoredPatterns(key));
    const tally = new Tally();
    const written = isIgnored ? key : yield* texts.redactInSteps(key, tally);
    const isBlocked = !isIgnored && (yield* blockedPatterns(key));
    return {
      written,
      tally: tally.masked === 0 ? NOTHING_MASKED : tally,
      isIgnored,
      secret: isIgnored ? undefined : isBlocked ? 'blocked_keys' : secretOf(key),
      namedBy: namesOfValue(key),
      isAllowed: settings.allow_all_keys || allowed.has(key) || isIgnored,
    };
  }

  const cache = new Map<string, KeyRule>();
  return {
    of(key: string): KeyRule {
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const rule = finishNow(inSteps(key));
      if (key.length <= MAX_CACHED_KEY_LENGTH && rule.tally.masked === 0) {
        if (cache.size >= MAX_CACHED_KEYS) cache.clear();
        cache.set(key, rule);
      }
      return rule;
    },
    inSteps,
  };
}

/** Returns whether any pattern matches a key; `beyond` is the result if the bounds of the search in a long key are reached. */
function createKeyPatterns(
  patterns: readonly string[],
  beyond: 'matches' | 'does-not',
): (key: string) => Steps<boolean> {
  const compiled = patterns.map(checkedRe2);
  const spans = new SpanFinder(patterns, beyond);
  return function* (key) {
    if (key.length <= LONG_TEXT) return compiled.some((pattern) => pattern.test(key));
    return (yield* spans.findInSteps(key)).length > 0;
  };
}
