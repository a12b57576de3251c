import { type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { copyMembers, finishNow, MANY_MEMBERS, type Members, type Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { looksSecret } from './detectors/plain-values.js';
import { isOtherMeaning } from './detectors/secret-names.js';
import { createKeyRules } from './key-rules.js';
import { indexOfName, isOption, nameOfPaired } from './paired-members.js';
import { pathBelow, type Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';

/** What masks the parts of a payload. */
export interface Redactors {
  readonly texts: TextRedactor;
  /** Masks secrets in values, with pauses for large ones; returns the same object if it has no secrets. Recursive: the depth must be bounded. */
  readonly values: ReturnType<typeof createValueRedactor>;
}

/** Values that may need pauses. */
type Large = string | JsonValue[] | JsonObject;

/** Member `name` of the value at `parentPath`. */
interface ValuePosition {
  readonly parentPath: string;
  readonly name: string;
  /** Why this value and everything in it is a secret. */
  readonly secret: SecretKind | undefined;
}

const TAGS: ValuePosition = { parentPath: '', name: 'tags', secret: undefined };
const EXTRA: ValuePosition = { parentPath: '', name: 'extra', secret: undefined };

/** Compiles the patterns of `settings`; throws RangeError for an invalid one. */
export function createValueRedactor(settings: RedactionProcessorSettings, texts: TextRedactor) {
  const rules = createKeyRules(settings, texts);

  const text = (value: string, secret: SecretKind | undefined, tally: Tally): string =>
    secret === undefined ? texts.redact(value, tally) : finishNow(longText(value, secret, tally));

  function* longText(value: string, secret: SecretKind | undefined, tally: Tally): Steps<string> {
    const whole = secret === undefined ? value : yield* texts.redactWhole(value, secret, tally);
    // A text that is not a secret as a whole can contain one.
    return whole === value ? yield* texts.redactInSteps(value, tally) : whole;
  }

  const scalar = (value: JsonValue, secret: SecretKind | undefined, tally: Tally): JsonValue => {
    if (typeof value === 'string') return text(value, secret, tally);
    if (value === null || (!settings.redact_all_types && secret !== 'blocked_keys')) return value;
    const written = String(value);
    const result = text(written, secret, tally);
    return result === written ? value : result;
  };

  const large = (value: Large, position: ValuePosition, tally: Tally): Steps<JsonValue> => {
    if (typeof value === 'string') return longText(value, position.secret, tally);
    return Array.isArray(value) ? list(value, position, tally) : object(value, position, tally, false);
  };

  /** Returns the kind of a value by its name. In a list, two names can also be a list of names, so the value must look like a secret. */
  const secretOfPair = (name: unknown, value: JsonValue | undefined, isListed: boolean): SecretKind | undefined => {
    if (typeof name !== 'string') return undefined;
    const { secret } = rules.of(name);
    const mayBeName = isListed && (secret === 'passwords' || secret === 'cloud_keys');
    if (!mayBeName) return secret;
    if (typeof value !== 'string') return undefined;
    return looksSecret(value) || (isOption(name) && !value.startsWith('-')) ? secret : undefined;
  };

  const secretOfListed = (
    values: readonly JsonValue[],
    at: number,
    position: ValuePosition,
  ): SecretKind | undefined => {
    const named = indexOfName(values, at, position.name);
    return named === undefined ? undefined : secretOfPair(values[named], values[at], true);
  };

  function* list(values: JsonValue[], position: ValuePosition, tally: Tally): Steps<JsonValue[]> {
    let copy: JsonValue[] | undefined;
    for (const [at, value] of values.entries()) {
      const secret = secretOfListed(values, at, position) ?? position.secret;
      if (tally.isPauseDue(unitsOf(value))) yield;
      const result = isLarge(value)
        ? yield* large(value, { ...position, secret }, tally)
        : scalar(value, secret, tally);
      if (result === value) continue;
      if (typeof value !== 'object') tally.listMasked(position.parentPath, position.name);
      copy ??= [...values];
      copy[at] = result;
    }
    return copy ?? values;
  }

  function* object(values: JsonObject, position: ValuePosition, tally: Tally, isField: boolean): Steps<JsonObject> {
    let copy: JsonObject | undefined;
    let names: Map<string, string | undefined> | undefined;
    const path = pathBelow(position.parentPath, position.name);
    const keys = Object.keys(values);
    if (keys.length > MANY_MEMBERS) yield;
    for (const key of keys) {
      const value = values[key];
      if (value === undefined) continue;
      if (tally.isPauseDue(key.length + unitsOf(value))) yield;
      const rule = key.length > LONG_TEXT ? yield* rules.inSteps(key) : rules.of(key);
      const name = rule.written;
      if (isField && !rule.isAllowed) {
        tally.countRemoved(path, name);
        names ??= new Map();
        names.set(key, undefined);
        continue;
      }
      if (!rule.isIgnored) {
        const paired =
          rule.namedBy === undefined ? undefined : secretOfPair(nameOfPaired(values, rule.namedBy), value, false);
        const means = rule.secret !== undefined && typeof value === 'string' && isOtherMeaning(key, value);
        const own = means ? undefined : rule.secret;
        const secret = position.secret === 'blocked_keys' ? position.secret : (own ?? paired ?? position.secret);
        const result = isLarge(value)
          ? yield* large(value, { parentPath: path, name, secret }, tally)
          : scalar(value, secret, tally);
        if (result !== value) {
          if (typeof value !== 'object') tally.listMasked(path, name);
          copy ??= yield* copyMembers(values, keys);
          setOwnProperty(copy, key, result);
        }
      }
      if (name === key) continue;
      tally.addKey(rule.tally, path, name);
      names ??= new Map();
      names.set(key, name);
    }
    return names === undefined ? (copy ?? values) : yield* renameMembers(copy ?? values, keys, names);
  }

  return {
    /** Masks any value, for example a rejected payload; does not apply `allowed_keys`. */
    *redactValue(value: JsonValue, tally: Tally): Steps<JsonValue> {
      const position = { parentPath: '', name: '', secret: undefined };
      return isLarge(value) ? yield* large(value, position, tally) : scalar(value, undefined, tally);
    },
    // A text stays a text.
    redactTags: (tags: Members<string>, tally: Tally) => object(tags, TAGS, tally, true) as Steps<Members<string>>,
    /** Applies `allowed_keys` to top-level keys only. */
    redactExtra: (extra: JsonObject, tally: Tally) => object(extra, EXTRA, tally, true),
  };
}

function isLarge(value: JsonValue): value is Large {
  return typeof value === 'string' ? value.length > LONG_TEXT : typeof value === 'object' && value !== null;
}

function unitsOf(value: JsonValue): number {
  return typeof value === 'string' && value.length <= LONG_TEXT ? value.length : 0;
}

/** Copies an object with other keys, in order; undefined removes a member. Renamed keys that collide get `~2`, `~3` and so on. */
function* renameMembers<Value>(
  values: Members<Value>,
  keys: readonly string[],
  names: ReadonlyMap<string, string | undefined>,
): Steps<Members<Value>> {
  const copy: Members<Value> = {};
  let written = 0;
  const timesUsed = new Map<string, number>();
  for (const key of keys) {
    const value = values[key];
    if (value === undefined) continue;
    const wanted = names.has(key) ? names.get(key) : key;
    if (wanted === undefined) continue;
    setOwnProperty(copy, wanted === key ? key : freeName(wanted, values, timesUsed), value);
    written += 1;
    if (written % MANY_MEMBERS === 0) yield;
  }
  return copy;
}

function freeName(wanted: string, values: Members<unknown>, timesUsed: Map<string, number>): string {
  for (let times = timesUsed.get(wanted) ?? 1; ; times += 1) {
    const name = times === 1 ? wanted : `${wanted}~${times}`;
    if (Object.hasOwn(values, name)) continue;
    timesUsed.set(wanted, times + 1);
    return name;
  }
}
