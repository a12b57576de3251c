import { type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { copyMembers, finishNow, MANY_MEMBERS, type Members, type Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { looksSecret } from './detectors/plain-values.js';
import { isCarriedSecret, isFieldName, isOtherMeaning, isSecretNumber } from './detectors/secret-names.js';
import { type KeyRule, KeyRules } from './key-rules.js';
import { indexOfName, isCookieName, isNamedValue, isOption, nameOfPaired } from './paired-members.js';
import { pathBelow, type Tally } from './tally.js';
import { beginsWithParameter, LONG_TEXT, type TextRedactor } from './text-redactor.js';

/** Values that may need pauses. */
type Large = string | JsonValue[] | JsonObject;

/** Member `name` of the value at `parentPath`. */
interface ValuePosition {
  readonly parentPath: string;
  readonly name: string;
  /** Why this value and everything in it is a secret. */
  readonly secret: SecretKind | undefined;
  /** Whether it consists of headers, cookies, parameters or variables. */
  readonly isCarrier: boolean;
  /** Whether it is an item of a list whose items are lists, such as pairs of a name and a value. */
  readonly isNested: boolean;
}

/** Where a text stands. */
type TextPlace = Pick<ValuePosition, 'name' | 'secret' | 'isCarrier'>;

const WHOLE: ValuePosition = { parentPath: '', name: '', secret: undefined, isCarrier: false, isNested: false };
const TAGS: ValuePosition = { ...WHOLE, name: 'tags' };
const EXTRA: ValuePosition = { ...WHOLE, name: 'extra' };

/** Masks secrets in values, with pauses for large ones; returns the same object if it has no secrets. Recursive: the depth must be bounded. */
export class ValueRedactor {
  readonly #texts: TextRedactor;
  readonly #rules: KeyRules;
  readonly #redactsAllTypes: boolean;

  /** Compiles the patterns of `settings`; throws RangeError for an invalid one. */
  constructor(settings: RedactionProcessorSettings, texts: TextRedactor) {
    this.#texts = texts;
    this.#rules = new KeyRules(settings, texts);
    this.#redactsAllTypes = settings.redact_all_types;
  }

  /** Masks any value, for example a rejected payload; does not apply `allowed_keys`. */
  *redactValue(value: JsonValue, tally: Tally): Steps<JsonValue> {
    return isLarge(value) ? yield* this.#large(value, WHOLE, tally) : this.#scalar(value, WHOLE, tally);
  }

  /** Applies `allowed_keys`. */
  *redactTags(tags: Members<string>, tally: Tally): Steps<Members<string>> {
    // A text stays a text.
    return (yield* this.#object(tags, TAGS, tally, true)) as Members<string>;
  }

  /** Applies `allowed_keys` to top-level keys only. */
  redactExtra(extra: JsonObject, tally: Tally): Steps<JsonObject> {
    return this.#object(extra, EXTRA, tally, true);
  }

  #large(value: Large, position: ValuePosition, tally: Tally): Steps<JsonValue> {
    if (typeof value === 'string') return this.#longText(value, position, tally);
    return Array.isArray(value) ? this.#list(value, position, tally) : this.#object(value, position, tally, false);
  }

  #scalar(value: JsonValue, place: TextPlace, tally: Tally): JsonValue {
    if (typeof value === 'string') return this.#text(value, place, tally);
    if (value === null || !(this.#redactsAllTypes || isSecretScalar(value, place))) return value;
    const written = String(value);
    const result = this.#text(written, place, tally);
    return result === written ? value : result;
  }

  #text(value: string, place: TextPlace, tally: Tally): string {
    // Fast path: a generator costs more than scanning a short text.
    const isPlain = place.secret === undefined && !(place.isCarrier && beginsWithParameter(value));
    if (isPlain) return this.#texts.redact(value, tally);
    return finishNow(this.#longText(value, place, tally));
  }

  *#longText(value: string, { secret, isCarrier }: TextPlace, tally: Tally): Steps<string> {
    const whole = secret === undefined ? value : yield* this.#texts.redactWhole(value, secret, tally);
    if (whole !== value) return whole;
    // A text that is not a secret as a whole can contain one.
    return yield* isCarrier ? this.#texts.redactCarried(value, tally) : this.#texts.redactInSteps(value, tally);
  }

  *#list(values: JsonValue[], position: ValuePosition, tally: Tally): Steps<JsonValue[]> {
    let copy: JsonValue[] | undefined;
    const { parentPath, name, secret, isCarrier } = position;
    // Literals, because spreading costs more than scanning a short text.
    const unnamed: ValuePosition = { parentPath, name, secret, isCarrier, isNested: true };
    for (const [at, value] of values.entries()) {
      const place = this.#placeOfItem(values, at, position, unnamed);
      if (tally.isPauseDue(unitsOf(value))) yield;
      const result = isLarge(value) ? yield* this.#large(value, place, tally) : this.#scalar(value, place, tally);
      if (result === value) continue;
      if (typeof value !== 'object') tally.listMasked(position.parentPath, position.name);
      copy ??= [...values];
      copy[at] = result;
    }
    return copy ?? values;
  }

  /** `isField`: whether `allowed_keys` applies. */
  *#object(values: JsonObject, position: ValuePosition, tally: Tally, isField: boolean): Steps<JsonObject> {
    const path = pathBelow(position.parentPath, position.name);
    const keys = Object.keys(values);
    tally.addWork(keys.length);
    let changes: MemberChanges | undefined;
    for (const key of keys) {
      const value = values[key];
      if (value === undefined) continue;
      if (tally.isPauseDue(key.length + unitsOf(value))) yield;
      const rule = key.length > LONG_TEXT ? yield* this.#rules.inSteps(key) : this.#rules.of(key);
      if (isForbidden(rule, isField)) {
        tally.countRemoved(path, rule.written);
        changes ??= new MemberChanges(values, keys);
        changes.rename(key, undefined);
        continue;
      }
      const place = this.#placeOfMember(key, values, rule, position, path);
      const result = isLarge(value)
        ? yield* this.#largeMember(value, rule, place, tally)
        : this.#smallMember(value, rule, place, tally);
      if (!hasChanged(key, rule, value, result)) continue;
      countChange(rule, path, key, typeof value === 'object' || result === value, tally);
      changes ??= new MemberChanges(values, keys);
      changes.set(key, result);
      changes.rename(key, rule.written);
    }
    return changes === undefined ? values : yield* changes.result();
  }

  #smallMember(value: JsonValue, rule: KeyRule, place: TextPlace, tally: Tally): JsonValue {
    return rule.isIgnored ? value : this.#scalar(value, place, tally);
  }

  *#largeMember(value: Large, rule: KeyRule, position: ValuePosition, tally: Tally): Steps<JsonValue> {
    return rule.isIgnored ? value : yield* this.#large(value, position, tally);
  }

  #placeOfMember(
    key: string,
    values: JsonObject,
    rule: KeyRule,
    position: ValuePosition,
    parentPath: string,
  ): ValuePosition {
    const name = rule.namedBy && nameOfPaired(values, rule.namedBy);
    const nameRule = isShort(name) ? this.#rules.of(name) : undefined;
    const isCarrier = position.isCarrier || rule.isCarrier || nameRule?.isCarrier === true;
    let secret = position.secret;
    if (secret !== 'blocked_keys' && !rule.isIgnored) {
      const value = values[key];
      const named = nameRule && isShort(name) ? secretByName(nameRule, name, value, isCarrier) : undefined;
      secret = secretByName(rule, key, value, isCarrier) ?? named ?? withoutAttributes(secret, rule, values);
    }
    return { parentPath, name: rule.written, secret, isCarrier, isNested: false };
  }

  /** Two names can also be a list of names, so outside of a list of pairs the value must look like a secret. */
  #placeOfItem(
    values: readonly JsonValue[],
    at: number,
    position: ValuePosition,
    unnamed: ValuePosition,
  ): ValuePosition {
    const { parentPath, name: listName, secret: outer } = position;
    const named = indexOfName(values, at, listName);
    const name = named === undefined ? undefined : values[named];
    if (!isShort(name)) {
      const isCookie = outer === 'cookies' && at === 0 && values.length === 2 && isCookieName(values[0]);
      return isCookie ? { ...unnamed, secret: undefined } : unnamed;
    }
    const value = values[at];
    const rule = this.#rules.of(name);
    const isCarrier = position.isCarrier || rule.isCarrier;
    const secret = secretByName(rule, name, value, isCarrier);
    const isName = !position.isNested && secret !== undefined && mayBeName(secret, name, value);
    return { parentPath, name: listName, secret: (isName ? undefined : secret) ?? outer, isCarrier, isNested: true };
  }
}

/** Whether a number or boolean is masked: `{"password": 48151623}`, but not `{"token": 50256}`. */
function isSecretScalar(value: JsonValue, { name, secret }: TextPlace): boolean {
  if (secret === 'blocked_keys') return true;
  return secret === 'passwords' && isSecretNumber(name, String(value));
}

/** Of a cookie in the form `{"name": "sid", "value": "x", "path": "/"}` only the value is a secret. */
function withoutAttributes(
  outer: SecretKind | undefined,
  { namedBy }: KeyRule,
  values: JsonObject,
): SecretKind | undefined {
  return outer === 'cookies' && namedBy === undefined && isNamedValue(values) ? undefined : outer;
}

/** Names that are longer say nothing of a value. */
function isShort(name: unknown): name is string {
  return typeof name === 'string' && name.length <= LONG_TEXT;
}

/** Whether the value after a name of a secret can itself be a name. */
function mayBeName(secret: SecretKind, name: string, value: JsonValue | undefined): boolean {
  if (secret === 'blocked_keys') return false;
  const isDoubtful = secret === 'passwords' || secret === 'cloud_keys';
  if (typeof value !== 'string') return isDoubtful;
  if (isFieldName(value)) return true;
  return isDoubtful && !looksSecret(value) && !(isOption(name) && !value.startsWith('-'));
}

/** Why the value of a key is a secret by the key alone. */
function secretByName(
  { secret, carried }: KeyRule,
  key: string,
  value: JsonValue | undefined,
  isCarried: boolean,
): SecretKind | undefined {
  if (secret !== undefined) return typeof value === 'string' && isOtherMeaning(key, value) ? undefined : secret;
  if (carried === undefined || !isCarried) return undefined;
  if (typeof value !== 'string') return Array.isArray(value) ? carried.kind : undefined;
  return isCarriedSecret(carried, value) && !isOtherMeaning(key, value) ? carried.kind : undefined;
}

function isLarge(value: JsonValue): value is Large {
  return typeof value === 'string' ? value.length > LONG_TEXT : typeof value === 'object' && value !== null;
}

function unitsOf(value: JsonValue): number {
  return typeof value === 'string' && value.length <= LONG_TEXT ? value.length : 0;
}

/** Whether `allowed_keys` removes a member; it applies to fields only. */
function isForbidden(rule: KeyRule, isField: boolean): boolean {
  return isField && !rule.isAllowed;
}

function hasChanged(key: string, rule: KeyRule, value: JsonValue, result: JsonValue): boolean {
  return result !== value || rule.written !== key;
}

/** Lists what was masked in a member itself, besides values within it. */
function countChange(rule: KeyRule, path: string, key: string, isValueSame: boolean, tally: Tally): void {
  if (!isValueSame) tally.listMasked(path, rule.written);
  if (rule.written !== key) tally.addKey(rule.tally, path, rule.written);
}

/** Collects changes of an object, which itself stays as it is. */
class MemberChanges {
  readonly #before: JsonObject;
  /** All keys of the object. */
  readonly #keys: readonly string[];
  readonly #values = new Map<string, JsonValue>();
  /** New names by key; undefined removes a member. */
  readonly #names = new Map<string, string | undefined>();

  constructor(before: JsonObject, keys: readonly string[]) {
    this.#before = before;
    this.#keys = keys;
  }

  set(key: string, value: JsonValue): void {
    this.#values.set(key, value);
  }

  /** Undefined removes the member. */
  rename(key: string, name: string | undefined): void {
    if (name !== key) this.#names.set(key, name);
  }

  *result(): Steps<JsonObject> {
    const copy = yield* copyMembers(this.#before, this.#keys);
    for (const [key, value] of this.#values) setOwnProperty(copy, key, value);
    return this.#names.size === 0 ? copy : yield* renameMembers(copy, this.#keys, this.#names);
  }
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
