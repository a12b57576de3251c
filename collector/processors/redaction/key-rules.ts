import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { checkedRe2, type Re2Pattern } from '../event-processor/re2-pattern.js';
import { finishNow, type Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import {
  carriedSecretName,
  isCarriedName,
  isCarrierName,
  type SecretName,
  secretName,
} from './detectors/secret-names.js';
import { SpanFinder } from './detectors/value-patterns.js';
import { namesOfValue } from './paired-members.js';
import { Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';

/** How to redact a key and its value. */
export interface KeyRule {
  /** The key with its own secrets masked. */
  readonly written: string;
  /** What was masked in the key. */
  readonly tally: Tally;
  /** Whether the value is not scanned. */
  readonly isIgnored: boolean;
  /** Why the whole value is a secret; undefined if only parts of it can be. */
  readonly secret: SecretKind | undefined;
  /** What the key means as the name of a header, cookie, parameter or variable, if that differs from `secret`. */
  readonly carried: SecretName | undefined;
  /** Whether the value consists of headers, cookies, parameters or variables. */
  readonly isCarrier: boolean;
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
const HARMLESS = { tally: NOTHING_MASKED, secret: undefined, carried: undefined, isCarrier: false };

/** The rules of keys of `tags` and `extra`. */
export class KeyRules {
  readonly #settings: RedactionProcessorSettings;
  readonly #texts: TextRedactor;
  readonly #ignored: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;
  readonly #ignoredPatterns: KeyPatterns;
  readonly #blockedPatterns: KeyPatterns;
  /** Starts over when it is full. */
  readonly #cache = new Map<string, KeyRule>();

  /** Throws RangeError for an invalid pattern of `settings`. */
  constructor(settings: RedactionProcessorSettings, texts: TextRedactor) {
    this.#settings = settings;
    this.#texts = texts;
    this.#ignored = new Set(settings.ignored_keys);
    this.#allowed = new Set(settings.allowed_keys);
    this.#ignoredPatterns = new KeyPatterns(settings.ignored_key_patterns, 'does-not');
    this.#blockedPatterns = new KeyPatterns(settings.blocked_key_patterns, 'matches');
  }

  of(key: string): KeyRule {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const rule = finishNow(this.inSteps(key));
    if (key.length <= MAX_CACHED_KEY_LENGTH && rule.tally.masked === 0) {
      if (this.#cache.size >= MAX_CACHED_KEYS) this.#cache.clear();
      this.#cache.set(key, rule);
    }
    return rule;
  }

  /** The rule of a key of any length, with pauses and without the cache. */
  *inSteps(key: string): Steps<KeyRule> {
    const isIgnored = this.#ignored.has(key) || (yield* this.#ignoredPatterns.match(key));
    if (isIgnored) return { ...HARMLESS, written: key, isIgnored, namedBy: namesOfValue(key), isAllowed: true };
    const tally = new Tally();
    const written = yield* this.#texts.redactInSteps(key, tally);
    const isBlocked = yield* this.#blockedPatterns.match(key);
    const secret = isBlocked ? 'blocked_keys' : this.#kindIfMasked(secretName(key));
    const carried = secret === undefined ? carriedSecretName(key) : undefined;
    return {
      written,
      tally: tally.masked === 0 ? NOTHING_MASKED : tally,
      isIgnored,
      secret,
      carried: this.#kindIfMasked(carried) === undefined ? undefined : carried,
      isCarrier: isCarrierName(key) || isCarriedName(key),
      namedBy: namesOfValue(key),
      isAllowed: this.#settings.allow_all_keys || this.#allowed.has(key),
    };
  }

  #kindIfMasked(name: SecretName | undefined): SecretKind | undefined {
    return name !== undefined && this.#texts.kinds.has(name.kind) ? name.kind : undefined;
  }
}

/** Patterns of keys; `beyond` is the result if the bounds of the search in a long key are reached. */
class KeyPatterns {
  readonly #patterns: readonly Re2Pattern[];
  readonly #spans: SpanFinder;

  constructor(patterns: readonly string[], beyond: 'matches' | 'does-not') {
    this.#patterns = patterns.map(checkedRe2);
    this.#spans = new SpanFinder(patterns, beyond);
  }

  /** Whether any pattern matches a key. */
  *match(key: string): Steps<boolean> {
    if (key.length <= LONG_TEXT) return this.#patterns.some((pattern) => pattern.test(key));
    return (yield* this.#spans.findInSteps(key)).length > 0;
  }
}
