import { type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import type { Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { looksSecret } from './detectors/plain-values.js';
import { isOtherMeaning } from './detectors/secret-names.js';
import { createKeyRules } from './key-rules.js';
import { isOption, nameOfPaired, placeOfName } from './paired-members.js';
import { copyMembers, MANY_MEMBERS, type Members, renameMembers } from './replace-members.js';
import { pathBelow, type Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';

/** Masks secrets in values, with pauses for large ones; returns the same object if it has no secrets. Recursive: the depth must be bounded. */
export interface ValueRedactor {
  /** A whole value, for example a rejected payload; every key may stay. */
  value(value: JsonValue, tally: Tally): Steps<JsonValue>;
  /** The tags of an event, whose keys may have to be listed. */
  tags(tags: Members<string>, tally: Tally): Steps<Members<string>>;
  /** The `extra` of an event; of its keys only those at the top may have to be listed. */
  extra(extra: Members<JsonValue>, tally: Tally): Steps<Members<JsonValue>>;
}

/** Values that may need pauses. */
type Large = string | JsonValue[] | JsonObject;

/** Position of a value: member `name` of the value at path `above`. */
interface Place {
  readonly above: string;
  readonly name: string;
  /** Why everything here and below is a secret. */
  readonly secret: SecretKind | undefined;
}

/** How values are looked at, those that `isLarge` tells with pauses. */
interface Each<Value> {
  small(value: Value, secret: SecretKind | undefined, tally: Tally): Value;
  large(value: Value & Large, place: Place, tally: Tally): Steps<Value>;
}

const TAGS: Place = { above: '', name: 'tags', secret: undefined };
const EXTRA: Place = { above: '', name: 'extra', secret: undefined };

/** Compiles patterns; throws RangeError for those that the configuration check would find. */
export function createValueRedactor(settings: RedactionProcessorSettings, texts: TextRedactor): ValueRedactor {
  const rules = createKeyRules(settings, texts);

  const text = (value: string, secret: SecretKind | undefined, tally: Tally): string => {
    const whole = secret === undefined ? value : texts.whole(value, secret, tally);
    // A text that is not a secret as a whole may contain one.
    return whole === value ? texts.parts(value, tally) : whole;
  };

  function* longText(value: string, { secret }: Place, tally: Tally): Steps<string> {
    const whole = secret === undefined ? value : yield* texts.wholeInSteps(value, secret, tally);
    return whole === value ? yield* texts.partsInSteps(value, tally) : whole;
  }

  const scalar = (value: JsonValue, secret: SecretKind | undefined, tally: Tally): JsonValue => {
    if (typeof value === 'string') return text(value, secret, tally);
    if (value === null || (!settings.redact_all_types && secret !== 'blocked_keys')) return value;
    const written = String(value);
    const result = text(written, secret, tally);
    return result === written ? value : result;
  };

  const large = (value: Large, place: Place, tally: Tally): Steps<JsonValue> => {
    if (typeof value === 'string') return longText(value, place, tally);
    return Array.isArray(value) ? list(value, place, tally) : object(value, place, tally, any, false);
  };

  /** What a name in front of a value says of it. In a list, two names of secrets may also be a list of names: there the value must look like a secret. */
  const secretOfPair = (name: unknown, value: JsonValue | undefined, isListed: boolean): SecretKind | undefined => {
    if (typeof name !== 'string') return undefined;
    const { secret } = rules.of(name);
    const mayBeName = isListed && (secret === 'passwords' || secret === 'cloud_keys');
    if (!mayBeName) return secret;
    if (typeof value !== 'string') return undefined;
    return looksSecret(value) || (isOption(name) && !value.startsWith('-')) ? secret : undefined;
  };

  const secretOfListed = (values: readonly JsonValue[], at: number, place: Place): SecretKind | undefined => {
    const named = placeOfName(values, at, place.name);
    return named === undefined ? undefined : secretOfPair(values[named], values[at], true);
  };

  function* list(values: JsonValue[], place: Place, tally: Tally): Steps<JsonValue[]> {
    let copy: JsonValue[] | undefined;
    for (const [at, value] of values.entries()) {
      const secret = secretOfListed(values, at, place) ?? place.secret;
      if (tally.isPauseDue(unitsOf(value))) yield;
      const result = isLarge(value) ? yield* large(value, { ...place, secret }, tally) : scalar(value, secret, tally);
      if (result === value) continue;
      if (typeof value !== 'object') tally.listMasked(place.above, place.name);
      copy ??= [...values];
      copy[at] = result;
    }
    return copy ?? values;
  }

  function* object<Value extends JsonValue>(
    values: Members<Value>,
    place: Place,
    tally: Tally,
    each: Each<Value>,
    isField: boolean,
  ): Steps<Members<Value>> {
    let copy: Members<Value> | undefined;
    let names: Map<string, string | undefined> | undefined;
    const path = pathBelow(place.above, place.name);
    const keys = Object.keys(values);
    if (keys.length > MANY_MEMBERS) yield;
    for (const key of keys) {
      const value = values[key];
      if (value === undefined) continue;
      if (tally.isPauseDue(key.length + unitsOf(value))) yield;
      const rule = key.length > LONG_TEXT ? yield* rules.ofLong(key) : rules.of(key);
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
        const secret = place.secret === 'blocked_keys' ? place.secret : (own ?? paired ?? place.secret);
        const result = isLarge(value)
          ? yield* each.large(value, { above: path, name, secret }, tally)
          : each.small(value, secret, tally);
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

  const tag: Each<string> = { small: text, large: longText };
  const any: Each<JsonValue> = { small: scalar, large };

  return {
    *value(value, tally) {
      const place = { above: '', name: '', secret: undefined };
      return isLarge(value) ? yield* large(value, place, tally) : scalar(value, undefined, tally);
    },
    tags: (tags, tally) => object(tags, TAGS, tally, tag, true),
    extra: (extra, tally) => object(extra, EXTRA, tally, any, true),
  };
}

/** Whether looking at a value may take pauses. */
function isLarge(value: JsonValue): value is Large {
  return typeof value === 'string' ? value.length > LONG_TEXT : typeof value === 'object' && value !== null;
}

function unitsOf(value: JsonValue): number {
  return typeof value === 'string' && value.length <= LONG_TEXT ? value.length : 0;
}
