import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { checkedRe2 } from '../event-processor/re2-pattern.js';
import type { Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { secretName } from './detectors/secret-names.js';
import { createSpanFinder } from './detectors/value-patterns.js';
import { namesOfValue } from './paired-members.js';
import { Tally } from './tally.js';
import type { TextRedactor } from './text-redactor.js';

/** What becomes of a key and of its value. */
export interface KeyRule {
  /** The key as it is written, masked where it holds a secret itself. */
  readonly written: string;
  /** What was masked in the key. */
  readonly tally: Tally;
  /** Whether the value stays as it is. */
  readonly isIgnored: boolean;
  /** Why the whole value is a secret; absent where only its parts may be. */
  readonly secret: SecretKind | undefined;
  /** Under which other keys of the same object the name of the value may stand: `{"name": "Cookie", "value": "a=b"}`. */
  readonly namedBy: readonly string[] | undefined;
  /** Whether the key may stay where only listed keys may. */
  readonly isAllowed: boolean;
}

/** Tells the rules of keys of `tags` and `extra`, and remembers those of short ones. */
export interface KeyRules {
  of(key: string): KeyRule;
  /** The same with pauses, for keys of any length. */
  ofLong(key: string): Steps<KeyRule>;
}

/** Keys come again with every event; those of a hostile one must not fill the memory. */
const MAX_REMEMBERED = 4_096;
const MAX_REMEMBERED_LENGTH = 128;

/** Of all keys in which nothing was masked. */
const NOTHING_MASKED = new Tally();

/** Compiles patterns. Throws RangeError for patterns that the configuration check would find. */
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

  const remembered = new Map<string, KeyRule>();
  return {
    of(key) {
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const ignore = ignored.has(key) || ignoredPatterns.inOneGo(key);
      const tally = new Tally();
      const written = ignore ? key : texts.parts(key, tally);
      const found = rule(key, asWritten(written, tally), ignore, !ignore && blockedPatterns.inOneGo(key));
      if (key.length <= MAX_REMEMBERED_LENGTH && tally.masked === 0) {
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(key, found);
      }
      return found;
    },
    *ofLong(key) {
      const ignore = ignored.has(key) || (yield* ignoredPatterns.inSteps(key));
      const tally = new Tally();
      const written = ignore ? key : yield* texts.partsInSteps(key, tally);
      const isBlocked = !ignore && (yield* blockedPatterns.inSteps(key));
      return rule(key, asWritten(written, tally), ignore, isBlocked);
    },
  };
}

/** A key without its secrets. */
type Written = Pick<KeyRule, 'written' | 'tally'>;

function asWritten(written: string, tally: Tally): Written {
  return { written, tally: tally.masked === 0 ? NOTHING_MASKED : tally };
}

/** Whether one of the patterns of an operator matches a key. */
interface KeyPatterns {
  readonly inOneGo: (key: string) => boolean;
  /** The same with pauses; `beyond` says what counts where it cannot be told. */
  readonly inSteps: (key: string) => Steps<boolean>;
}

function createKeyPatterns(patterns: readonly string[], beyond: 'matches' | 'does-not'): KeyPatterns {
  const compiled = patterns.map(checkedRe2);
  const spans = createSpanFinder(patterns, beyond);
  return {
    inOneGo: (key) => compiled.some((pattern) => pattern.test(key)),
    *inSteps(key) {
      return (yield* spans.inSteps(key)).length > 0;
    },
  };
}
