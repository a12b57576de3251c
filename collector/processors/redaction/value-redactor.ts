import type { RedactionProcessorSettings } from '../../../config/settings.js';
import type { JsonValue } from '../../../core/event/json.js';
import type { Steps } from '../steps.js';
import type { SecretKind } from './finding.js';
import { createKeyRules, type KeyRule } from './key-rules.js';
import { looksSecret } from './plain-values.js';
import { type Members, replaceMembers } from './replace-members.js';
import type { Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';

/** Masks secrets in values, with pauses where they are large; the same object where there are none. Depth must be bounded: objects are walked by recursion. */
export interface ValueRedactor {
  /** A whole value, for example a rejected payload; every key may stay. */
  value(value: JsonValue, tally: Tally): Steps<JsonValue>;
  /** The tags of an event, whose keys may have to be listed. */
  tags(tags: Members<string>, tally: Tally): Steps<Members<string>>;
  /** The `extra` of an event; of its keys only those at the top may have to be listed. */
  extra(extra: Members<JsonValue>, tally: Tally): Steps<Members<JsonValue>>;
}

/** Where a value stands. */
interface Place {
  /** As `extra.request`. */
  readonly path: string;
  /** Why everything here and below is a secret. */
  readonly secret: SecretKind | undefined;
}

/** How values are looked at, those that `isLarge` tells with pauses. */
interface Each<Value> {
  small(value: Value, place: Place, tally: Tally): Value;
  large(value: Value, place: Place, tally: Tally): Steps<Value>;
}

/** Longest place that is told. */
const MAX_PATH_LENGTH = 200;

/** Compiles patterns; throws RangeError for those that the configuration check would find. */
export function createValueRedactor(settings: RedactionProcessorSettings, texts: TextRedactor): ValueRedactor {
  const rules = createKeyRules(settings, texts);

  const text = (value: string, { path, secret }: Place, tally: Tally): string => {
    const whole = secret === undefined ? value : texts.whole(value, secret, tally);
    // What is no secret as a whole, a sentence for example, may still hold one.
    const result = whole === value ? texts.parts(value, tally) : whole;
    if (result !== value) tally.listMasked(path);
    return result;
  };

  function* longText(value: string, { path, secret }: Place, tally: Tally): Steps<string> {
    const whole = secret === undefined ? value : texts.whole(value, secret, tally);
    const result = whole === value ? yield* texts.partsInSteps(value, tally) : whole;
    if (result !== value) tally.listMasked(path);
    return result;
  }

  const scalar = (value: JsonValue, place: Place, tally: Tally): JsonValue => {
    if (typeof value === 'string') return text(value, place, tally);
    if (value === null || (!settings.redact_all_types && place.secret !== 'blocked_keys')) return value;
    const written = String(value);
    const result = text(written, place, tally);
    return result === written ? value : result;
  };

  function* large(value: JsonValue, place: Place, tally: Tally): Steps<JsonValue> {
    if (typeof value === 'string') return yield* longText(value, place, tally);
    if (Array.isArray(value)) return yield* list(value, place, tally);
    if (value !== null && typeof value === 'object') return yield* object(value, place, tally, any, false);
    return value;
  }

  /** Of `["Cookie", "a=b"]` and `{"name": "Cookie", "value": "a=b"}`; two names of secrets may also be a list of names. */
  const secretOfPair = (name: JsonValue | undefined, value: JsonValue | undefined): SecretKind | undefined => {
    if (typeof name !== 'string') return undefined;
    const { secret } = rules.of(name);
    const isPassword = secret === 'passwords' || secret === 'cloud_keys';
    return isPassword && !(typeof value === 'string' && looksSecret(value)) ? undefined : secret;
  };

  function* list(values: JsonValue[], place: Place, tally: Tally): Steps<JsonValue[]> {
    let copy: JsonValue[] | undefined;
    const [name, named] = values;
    const secret = values.length === 2 ? secretOfPair(name, named) : undefined;
    for (const [at, value] of values.entries()) {
      const here = at === 1 && secret !== undefined ? { ...place, secret } : place;
      if (tally.isPauseDue(unitsOf(value))) yield;
      const result = isLarge(value) ? yield* large(value, here, tally) : scalar(value, here, tally);
      if (result === value) continue;
      copy ??= [...values];
      copy[at] = result;
    }
    return copy ?? values;
  }

  function* object<Value extends JsonValue>(
    values: Members<Value>,
    above: Place,
    tally: Tally,
    each: Each<Value>,
    isField: boolean,
  ): Steps<Members<Value>> {
    const changes = new Map<string, { key: string; value: Value } | undefined>();
    for (const key in values) {
      const value = values[key];
      if (value === undefined) continue;
      if (tally.isPauseDue(key.length + unitsOf(value))) yield;
      const rule = key.length > LONG_TEXT ? yield* rules.ofLong(key) : rules.of(key);
      const paired = key === 'value' ? secretOfPair(values['name'] ?? values['key'], value) : undefined;
      const place = below(above, paired === undefined ? rule : { ...rule, secret: rule.secret ?? paired });
      if (isField && !rule.isAllowed) {
        tally.countRemoved(place.path);
        changes.set(key, undefined);
        continue;
      }
      let result = value;
      if (!rule.isIgnored) {
        result = isLarge(value) ? yield* each.large(value, place, tally) : each.small(value, place, tally);
      }
      if (rule.written !== key) tally.addKey(rule.tally, place.path);
      if (result !== value || rule.written !== key) changes.set(key, { key: rule.written, value: result });
    }
    return changes.size === 0 ? values : yield* replaceMembers(values, changes);
  }

  const tag: Each<string> = { small: text, large: longText };
  const any: Each<JsonValue> = { small: scalar, large };

  return {
    *value(value, tally) {
      const place = { path: '', secret: undefined };
      return isLarge(value) ? yield* large(value, place, tally) : scalar(value, place, tally);
    },
    tags: (tags, tally) => object(tags, { path: 'tags', secret: undefined }, tally, tag, true),
    extra: (extra, tally) => object(extra, { path: 'extra', secret: undefined }, tally, any, true),
  };
}

/** Whether looking at a value may take pauses. */
function isLarge(value: JsonValue): boolean {
  return typeof value === 'string' ? value.length > LONG_TEXT : typeof value === 'object' && value !== null;
}

function unitsOf(value: JsonValue): number {
  return typeof value === 'string' && value.length <= LONG_TEXT ? value.length : 0;
}

function below(above: Place, { written, secret }: KeyRule): Place {
  return {
    path: above.path.length > MAX_PATH_LENGTH ? above.path : `${above.path}.${written.slice(0, MAX_PATH_LENGTH)}`,
    secret: above.secret === 'blocked_keys' ? above.secret : (secret ?? above.secret),
  };
}
