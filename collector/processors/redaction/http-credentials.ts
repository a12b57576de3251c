import { hasMembers, type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import { copyMembers, type Steps } from '../event-processor/steps.js';
import { looksSecret } from './detectors/plain-values.js';
import {
  carriedSecretName,
  isCarriedName,
  isCarriedSecret,
  isCarrierName,
  isFieldName,
  isOtherMeaning,
  isSecretNumber,
  type SecretName,
  secretName,
} from './detectors/secret-names.js';
import { indexOfName, nameOfPaired, namesOfValue } from './paired-members.js';
import type { Tally } from './tally.js';
import { isWholeSecret, TextRedactor } from './text-redactor.js';

const REDACTED = '[redacted]';

const SETTINGS: RedactionProcessorSettings = {
  builtin_patterns: ['passwords', 'bearer_tokens', 'cloud_keys', 'private_keys', 'cookies'],
  allow_all_keys: true,
  allowed_keys: [],
  ignored_keys: [],
  ignored_key_patterns: [],
  blocked_key_patterns: [],
  blocked_values: [],
  allowed_values: [],
  redact_all_types: false,
  hash_function: 'none',
  summary: 'silent',
  error_mode: 'propagate',
};

/** What a name says of its value. */
interface NameMeaning {
  readonly name: string;
  /** What it means as the name of a header, cookie, parameter or variable. */
  readonly carried: SecretName | undefined;
  /** Whether it means that everywhere: `authorization`, `set-cookie`, `http.request.header.x-api-key`. */
  readonly isCredential: boolean;
  /** Whether the value consists of headers, cookies, parameters or variables. */
  readonly isCarrier: boolean;
  /** Other keys of the object that can hold the value's name. */
  readonly namedBy: readonly string[] | undefined;
}

const NO_NAME: NameMeaning = {
  name: '',
  carried: undefined,
  isCredential: false,
  isCarrier: false,
  namedBy: undefined,
};

/** An object or a list in a value. */
interface Place {
  readonly value: JsonObject | JsonValue[];
  readonly parent: Place | undefined;
  /** Where the parent's value holds it. */
  readonly key: string | number;
  /** The key of the nearest object. */
  readonly name: string;
  readonly isCarrier: boolean;
  /** Why every text in it is a secret; undefined if only some can be. */
  readonly secret: SecretName | undefined;
  /** The value without credentials; undefined while it is unchanged. */
  copy: JsonObject | JsonValue[] | undefined;
}

/** A member to replace. */
interface Change {
  readonly place: Place;
  readonly key: string | number;
  readonly value: JsonValue;
}

/** A text that can contain a credential. */
interface TextAt {
  readonly place: Place;
  readonly key: string | number;
  readonly text: string;
}

type Members = Record<string | number, JsonValue>;

/** Masks credentials of HTTP: values of names such as `authorization` and `cookies`, and secrets in headers, queries and environments. */
export class HttpCredentials {
  readonly texts = new TextRedactor(SETTINGS, REDACTED);
  readonly #names = new NameMeanings();

  /** Masks a value of any depth, with pauses; returns the same value if it has no credentials. */
  *redactValue<Value extends JsonValue>(value: Value, tally: Tally): Steps<Value> {
    if (typeof value !== 'object' || value === null) return value;
    const root: Place = {
      value,
      parent: undefined,
      key: '',
      name: '',
      isCarrier: false,
      secret: undefined,
      copy: undefined,
    };
    const search = new CredentialSearch(this.#names, this.texts, tally);
    yield* search.run(root);
    for (const change of search.changes) yield* setMember(change);
    return (root.copy ?? value) as Value;
  }
}

/** Members that are searched without a pause. */
const CHUNK = 256;
/** Most of what a member can cost, in the units of the tally. */
const MEMBER_UNITS = 8;

/** Searches one value, without recursion. */
class CredentialSearch {
  readonly changes: Change[] = [];
  readonly #names: NameMeanings;
  readonly #texts: TextRedactor;
  readonly #tally: Tally;
  readonly #open: Place[] = [];
  /** Texts of carriers that are no secrets as a whole. */
  readonly #found: TextAt[] = [];

  constructor(names: NameMeanings, texts: TextRedactor, tally: Tally) {
    this.#names = names;
    this.#texts = texts;
    this.#tally = tally;
  }

  *run(root: Place): Steps<void> {
    for (let place: Place | undefined = root; place !== undefined; place = this.#open.pop()) {
      const { value } = place;
      const keys = Array.isArray(value) ? [] : Object.keys(value);
      const count = Array.isArray(value) ? value.length : keys.length;
      for (let from = 0; from < count; from += CHUNK) {
        const to = Math.min(count, from + CHUNK);
        if (Array.isArray(value)) this.#searchItems(place, value, from, to);
        else this.#searchMembers(place, value, keys, from, to);
        if (this.#tally.isPauseDue((to - from) * MEMBER_UNITS)) yield;
      }
    }
    if (this.#found.length > 0) yield* this.#redactFound();
  }

  *#redactFound(): Steps<void> {
    for (const { place, key, text } of this.#found) {
      if (this.#tally.isPauseDue(text.length)) yield;
      const result = yield* this.#texts.redactCarried(text, this.#tally);
      if (result !== text) this.changes.push({ place, key, value: result });
    }
  }

  #searchMembers(place: Place, members: JsonObject, keys: readonly string[], from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const key = keys[at] ?? '';
      const value = members[key];
      if (typeof value === 'string') this.#searchText(place, key, value, this.#names.ofMember(members, key));
      else if (typeof value === 'object' && value !== null)
        this.#openBelow(place, key, value, this.#names.ofMember(members, key));
      else if (typeof value === 'number' && place.isCarrier && isSecretNumber(key, String(value)))
        this.changes.push({ place, key, value: REDACTED });
    }
  }

  #searchItems(place: Place, list: readonly JsonValue[], from: number, to: number): void {
    // Fast path: texts in other lists have no names.
    const mayHaveNames = place.isCarrier || list.length === 2;
    for (let at = from; at < to; at += 1) {
      const value = list[at];
      if (typeof value === 'string') {
        if (mayHaveNames || isAddress(value)) this.#searchText(place, at, value, this.#names.ofItem(place, list, at));
      } else if (typeof value === 'object' && value !== null) {
        this.#openBelow(place, at, value, mayHaveNames ? this.#names.ofItem(place, list, at) : NO_NAME);
      }
    }
  }

  #searchText(place: Place, key: string | number, text: string, meaning: NameMeaning): void {
    const isCarrier = place.isCarrier || meaning.isCarrier;
    const secret = (meaning.isCredential || place.isCarrier ? meaning.carried : undefined) ?? place.secret;
    if (secret !== undefined && isSecret(secret, meaning.name, text))
      this.changes.push({ place, key, value: REDACTED });
    else if (isCarrier || isAddress(text)) this.#found.push({ place, key, text });
  }

  /** Replaces cookies and header values, and leaves other objects and lists to be searched. */
  #openBelow(place: Place, key: string | number, value: JsonObject | JsonValue[], meaning: NameMeaning): void {
    const { carried, isCredential } = meaning;
    const isInCarrier = place.isCarrier || meaning.isCarrier;
    const isReplaced = carried?.kind === 'cookies' || (carried?.kind === 'bearer_tokens' && isInCarrier);
    if (isReplaced && hasMembers(value)) {
      this.changes.push({ place, key, value: REDACTED });
      return;
    }
    const name = typeof key === 'string' ? key : place.name;
    const secret = (place.isCarrier || (isCredential && meaning.isCarrier) ? carried : undefined) ?? place.secret;
    const isCarrier = isInCarrier || isCredential;
    this.#open.push({ value, parent: place, key, name, isCarrier, secret, copy: undefined });
  }
}

/** Bounds the cache against senders with ever new names. */
const MAX_CACHED_NAMES = 4_096;
const MAX_CACHED_LENGTH = 128;
/** Longer names say nothing of a value. */
const MAX_NAME_LENGTH = 8 * 1024;

/** The meanings of the names of members and items. */
class NameMeanings {
  /** Starts over when it is full. */
  readonly #cache = new Map<string, NameMeaning>();

  /** The meaning of the key of a member, or of what else names it. */
  ofMember(members: JsonObject, key: string): NameMeaning {
    const meaning = this.#ofName(key);
    if (meaning.namedBy === undefined) return meaning;
    const name = nameOfPaired(members, meaning.namedBy);
    return typeof name === 'string' && name.length <= MAX_NAME_LENGTH ? this.#ofName(name) : meaning;
  }

  /** Two names can also be a list of names, so outside of a list of pairs the name must be of a credential or the value look like a secret. */
  ofItem({ parent, name: listName }: Place, list: readonly JsonValue[], at: number): NameMeaning {
    const named = indexOfName(list, at, listName);
    const name = named === undefined ? undefined : list[named];
    if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH) return NO_NAME;
    const meaning = this.#ofName(name);
    const value = list[at];
    if (Array.isArray(parent?.value) || typeof value !== 'string') return meaning;
    const isDoubtful = (!isOfCredential(meaning.carried) && !looksSecret(value)) || isFieldName(value);
    return isDoubtful ? NO_NAME : meaning;
  }

  #ofName(name: string): NameMeaning {
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const known = secretName(name);
    const carried = known === undefined ? carriedSecretName(name) : { ...known, shortest: 0 };
    const isCarried = isCarriedName(name);
    const meaning: NameMeaning = {
      name,
      carried,
      isCredential: isCarried || isOfCredential(carried),
      isCarrier: isCarried || isCarrierName(name),
      namedBy: namesOfValue(name),
    };
    if (name.length > MAX_CACHED_LENGTH) return meaning;
    if (this.#cache.size >= MAX_CACHED_NAMES) this.#cache.clear();
    this.#cache.set(name, meaning);
    return meaning;
  }
}

function isOfCredential(name: SecretName | undefined): boolean {
  return name?.kind === 'cookies' || name?.kind === 'bearer_tokens';
}

/** Whether a text may be an address with parameters or a user, whatever its name. */
function isAddress(text: string): boolean {
  return (text.startsWith('/') || text.startsWith('http')) && (text.includes('?') || text.includes('@'));
}

function isSecret(secret: SecretName, name: string, value: string): boolean {
  return isWholeSecret(value, secret.kind) && !isOtherMeaning(name, value) && isCarriedSecret(secret, value);
}

/** Sets a member in a copy of its place, which replaces the place in copies of all that is around it. */
function* setMember({ place, key, value }: Change): Steps<void> {
  if (place.copy === undefined) {
    place.copy = Array.isArray(place.value)
      ? [...place.value]
      : yield* copyMembers(place.value, Object.keys(place.value));
    if (place.parent !== undefined) yield* setMember({ place: place.parent, key: place.key, value: place.copy });
  }
  setOwnProperty(place.copy as Members, String(key), value);
}
