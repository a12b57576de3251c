import type { RedactionProcessorSettings } from '../../../config/settings.js';
import { checkedRe2 } from '../re2-pattern.js';
import type { Steps } from '../steps.js';
import type { SecretKind } from './finding.js';
import { secretName } from './secret-names.js';
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

/** Compiles patterns. Throws RangeError for patterns that the configuration check would find. */
export function createKeyRules(settings: RedactionProcessorSettings, texts: TextRedactor): KeyRules {
  const ignored = new Set(settings.ignored_keys);
  const ignoredPatterns = settings.ignored_key_patterns.map(checkedRe2);
  const blockedPatterns = settings.blocked_key_patterns.map(checkedRe2);
  const allowed = new Set(settings.allowed_keys);

  const secretOf = (key: string): SecretKind | undefined => {
    if (blockedPatterns.some((pattern) => pattern.test(key))) return 'blocked_keys';
    const kind = secretName(key)?.kind;
    return kind !== undefined && texts.kinds.has(kind) ? kind : undefined;
  };

  const isIgnored = (key: string): boolean => ignored.has(key) || ignoredPatterns.some((pattern) => pattern.test(key));

  const rule = (key: string, written: string, tally: Tally, ignore: boolean): KeyRule => ({
    written,
    tally,
    isIgnored: ignore,
    secret: ignore ? undefined : secretOf(key),
    isAllowed: settings.allow_all_keys || allowed.has(key) || ignore,
  });

  const remembered = new Map<string, KeyRule>();
  return {
    of(key) {
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const tally = new Tally();
      const ignore = isIgnored(key);
      const found = rule(key, ignore ? key : texts.parts(key, tally), tally, ignore);
      if (key.length <= MAX_REMEMBERED_LENGTH && tally.masked === 0) {
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(key, found);
      }
      return found;
    },
    *ofLong(key) {
      const tally = new Tally();
      const ignore = isIgnored(key);
      return rule(key, ignore ? key : yield* texts.partsInSteps(key, tally), tally, ignore);
    },
  };
}
