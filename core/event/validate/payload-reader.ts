import { PAYLOAD_FIELDS } from '../../../generated/event-fields.js';
import {
  hasMembers,
  isJsonObject,
  isWithinBounds,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwnProperty,
} from '../json.js';
import type { EventNote } from '../note.js';
import { claimsWeight, hopsOf, RAW_PAYLOAD_KEYS, type RawPayload, weightMembers } from '../raw-payload.js';
import { areTagsWithinLimits, cutPayload } from './cut-payload.js';
import { findLevel } from './level-in-record.js';
import {
  assertPayloadLimits,
  createPayloadCheck,
  type PayloadCheck,
  type PayloadLimits,
  type PayloadRejection,
  rejectionOf,
} from './payload-check.js';
import { type CutCounts, type LeftOut, MOVED_REASON, type Path, Repairs } from './repairs.js';

/** The result of reading one value. */
export type PayloadParseResult =
  | {
      readonly ok: true;
      readonly payload: RawPayload;
      /** What was cut, converted or moved; at most 65. */
      readonly notes: readonly EventNote[];
      /** All cuts, for the ledger. */
      readonly cuts: CutCounts;
      /** The keys that the value lacked, if nothing else distinguishes it from the payload; else undefined. */
      readonly added: readonly (keyof RawPayload)[] | undefined;
    }
  | { readonly ok: false; readonly rejection: PayloadRejection };

/** Values for events without these names. */
export interface PayloadDefaults {
  readonly app?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
}

interface PayloadParserOptions {
  readonly defaults: PayloadDefaults;
  readonly limits: PayloadLimits;
  /**
   * Whether to accept `extra.faultline.sampled` and `repeats` of an event: for payloads that Faultline wrote or from trusted senders.
   * Default false: `extra.faultline` moves to `extra.faultline.sender`, so senders can neither raise counts nor avoid them.
   */
  readonly keepsWeight?: boolean;
}

/** Turns parsed JSON into payloads: completes, checks, then cuts to the limits. `parse` never throws and has no state. */
export class PayloadParser {
  readonly #defaults: PayloadDefaults;
  readonly #limits: PayloadLimits;
  readonly #keepsWeight: boolean;
  readonly #hasTypes: PayloadCheck;
  readonly #hasTypesAndLengths: PayloadCheck;

  /** Throws Fault `PAYLOAD_LIMIT_INVALID`. */
  constructor({ defaults, limits, keepsWeight = false }: PayloadParserOptions) {
    assertPayloadLimits(limits);
    this.#defaults = defaults;
    this.#limits = limits;
    this.#keepsWeight = keepsWeight;
    this.#hasTypes = createPayloadCheck();
    this.#hasTypesAndLengths = createPayloadCheck(limits);
  }

  /** The payload shares objects with the value: do not change it afterwards. `leftOut`: what its text had besides, with paths in the value. */
  parse(value: unknown, leftOut: readonly LeftOut[] = []): PayloadParseResult {
    const isWhole = leftOut.length === 0;
    // With all 17 keys, one more is an unknown one, which must move into `extra`.
    if (
      isWhole &&
      this.#isWithinLimits(value) &&
      !this.#isForged(value) &&
      !isNumber(value.level) &&
      countKeys(value) === RAW_PAYLOAD_KEYS.length
    ) {
      return { ok: true, payload: value, notes: [], cuts: {}, added: [] };
    }
    const repairs = new Repairs();
    for (const { limit, path, was, kept } of leftOut) repairs.addCut(limit, pathInPayload(path), was, kept);
    const candidate = isJsonObject(value) ? completePayload(value, this.#defaults, repairs) : value;
    if (!this.#hasTypes(candidate)) return { ok: false, rejection: rejectionOf(this.#hasTypes) };

    const isRewritten = repairs.hasValues || this.#isForged(candidate);
    const isComplete = isWhole && !isRewritten && this.#isWithinLimits(candidate);
    const payload = isComplete ? candidate : this.#rewrite(candidate, repairs, isWhole && isRewritten);
    const added = isComplete && isJsonObject(value) ? addedKeys(value, payload) : undefined;
    return { ok: true, payload, notes: repairs.allNotes, cuts: repairs.cutCounts, added };
  }

  /** Checks everything that the payload may consist of, so that a payload without repairs is read once. */
  #isWithinLimits(value: unknown): value is RawPayload {
    const { maxStringLength, maxDepth } = this.#limits;
    return (
      this.#hasTypesAndLengths(value) &&
      areTagsWithinLimits(value.tags, this.#limits) &&
      isWithinBounds(value.extra, maxStringLength, maxDepth)
    );
  }

  /** Whether a sender that is not trusted sets a weight. */
  #isForged({ extra }: RawPayload): boolean {
    return !this.#keepsWeight && claimsWeight(extra);
  }

  /** Writes `extra.faultline` and cuts the payload. `mayFit`: what needs no other repair is here because it exceeds a limit. */
  #rewrite(candidate: RawPayload, repairs: Repairs, mayFit: boolean): RawPayload {
    const extra = withFaultlineExtra(candidate.extra, repairs, this.#keepsWeight);
    const rewritten: RawPayload = { ...candidate, extra };
    return mayFit && this.#isWithinLimits(rewritten) ? rewritten : cutPayload(rewritten, this.#limits, repairs);
  }
}

function addedKeys(value: JsonObject, payload: RawPayload): (keyof RawPayload)[] | undefined {
  const added: (keyof RawPayload)[] = [];
  for (const key of RAW_PAYLOAD_KEYS) {
    if (value[key] === undefined) added.push(key);
    else if (value[key] !== payload[key]) return undefined;
  }
  return countKeys(value) + added.length === RAW_PAYLOAD_KEYS.length ? added : undefined;
}

function countKeys(value: object): number {
  return Object.keys(value).length;
}

/** A payload whose types are not checked yet. */
type PayloadCandidate = Record<keyof RawPayload, unknown>;

/** Brings an event to the 17 keys: fills missing ones, converts values of a wrong type where nothing is lost, and moves unknown keys into `extra`. */
function completePayload(event: JsonObject, defaults: PayloadDefaults, repairs: Repairs): PayloadCandidate {
  const candidate: Partial<PayloadCandidate> = {};
  for (const { name, kind } of PAYLOAD_FIELDS) {
    candidate[name] = completeField(name, kind, event, defaults, repairs);
  }
  return candidate as PayloadCandidate;
}

/** A value of a wrong type that cannot be converted stays for the check to reject. */
function completeField(
  name: keyof RawPayload,
  kind: (typeof PAYLOAD_FIELDS)[number]['kind'],
  event: JsonObject,
  defaults: PayloadDefaults,
  repairs: Repairs,
): unknown {
  const value = event[name] ?? null;
  switch (kind) {
    case 'text':
      return value ?? (defaults as Partial<Record<keyof RawPayload, string>>)[name] ?? null;
    case 'nullable_text':
      return name === 'level' && isNumber(value)
        ? completeLevel(value, event, repairs)
        : completeText(name, value, repairs);
    case 'nullable_integer':
      return completeInteger(name, value, repairs);
    case 'tags':
      return completeTags(value, repairs);
    case 'extra':
      return completeExtra(event, repairs);
  }
}

/** Text, the text of a number or boolean, or null with the value kept in `repairs.originals`. */
function completeText(field: string, value: JsonValue, repairs: Repairs): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'object') {
    setOwnProperty(repairs.originals, field, value);
    repairs.addNote('VALUE_MOVED', [field], MOVED_REASON);
    return null;
  }
  repairs.addNote('VALUE_CONVERTED', [field], `was a ${typeof value} and became text`);
  return String(value);
}

const NUMBER_TEXT = /^\s*\d{1,5}(?:\.\d{1,5})?\s*$/;

function isNumber(value: JsonValue): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && NUMBER_TEXT.test(value));
}

/** The name of a numeric level, or null with the number kept in `repairs.originals` if nothing else in the event tells its scale. */
function completeLevel(value: number | string, event: JsonObject, repairs: Repairs): string | null {
  const level = findLevel((path) => memberBesideFields(event, path))?.level;
  if (level !== undefined) {
    repairs.addNote('VALUE_CONVERTED', ['level'], `was the number ${value} and became a name`);
    return level;
  }
  setOwnProperty(repairs.originals, 'level', value);
  repairs.addNote('VALUE_MOVED', ['level'], 'is a number of an unknown scale, kept under extra.faultline.original');
  return null;
}

const PYTHON_TRACEBACK = 'Traceback (most recent call last):';

/** A member of a log record that its sender added to the fields of an event, or `level`. */
function memberBesideFields(event: JsonObject, name: string): JsonValue | undefined {
  if (name === 'level') return event['level'];
  const stack = event['stack'];
  if (name === 'exc_info' && typeof stack === 'string' && stack.includes(PYTHON_TRACEBACK)) return stack;
  if (PAYLOAD_KEYS.has(name)) return undefined;
  return ownValue(event, name) ?? ownValue(event['extra'], name);
}

const INTEGER_TEXT = /^-?\d{1,15}$/;

/** An integer, also one written as text, or null with the value kept in `repairs.originals`. */
function completeInteger(field: string, value: JsonValue, repairs: Repairs): number | null {
  if (value === null) return null;
  if (Number.isSafeInteger(value)) return Number(value);
  if (typeof value === 'string' && INTEGER_TEXT.test(value)) {
    repairs.addNote('VALUE_CONVERTED', [field], 'was text and became a number');
    return Number(value);
  }
  setOwnProperty(repairs.originals, field, value);
  repairs.addNote('VALUE_MOVED', [field], MOVED_REASON);
  return null;
}

/** Numbers and booleans become text, nulls are dropped, objects and arrays go to `repairs.originals`. */
function completeTags(value: JsonValue, repairs: Repairs): JsonValue {
  if (value === null) return {};
  if (!isJsonObject(value) || Object.values(value).every((tag) => typeof tag === 'string')) return value;
  const tags: JsonObject = {};
  const originals: JsonObject = {};
  for (const [key, tag] of Object.entries(value)) {
    if (tag === null) {
      repairs.addNote('TAG_LEFT_OUT', ['tags', key], 'was null and was left out');
    } else if (typeof tag === 'object') {
      setOwnProperty(originals, key, tag);
      repairs.addNote('VALUE_MOVED', ['tags', key], MOVED_REASON);
    } else {
      if (typeof tag !== 'string') {
        repairs.addNote('VALUE_CONVERTED', ['tags', key], `was a ${typeof tag} and became text`);
      }
      setOwnProperty(tags, key, String(tag));
    }
  }
  if (hasMembers(originals)) setOwnProperty(repairs.originals, 'tags', originals);
  return tags;
}

const PAYLOAD_KEYS: ReadonlySet<string | number | undefined> = new Set(RAW_PAYLOAD_KEYS);

/** Unknown top-level keys move into `extra`. */
function pathInPayload(path: Path): Path {
  return path.length === 0 || PAYLOAD_KEYS.has(path[0]) ? path : ['extra', ...path];
}

/** The sender's `extra` with the unknown top-level keys; where both hold a name, `extra` wins and the other goes to `repairs.topLevel`. */
function completeExtra(event: JsonObject, repairs: Repairs): JsonValue {
  const sent = event['extra'] ?? null;
  const unknownKeys = Object.keys(event).filter((key) => !PAYLOAD_KEYS.has(key) && event[key] !== undefined);
  if (unknownKeys.length === 0 || (sent !== null && !isJsonObject(sent))) return sent;

  const extra: JsonObject = { ...sent };
  for (const key of unknownKeys) {
    const isTaken = sent !== null && Object.hasOwn(sent, key);
    setOwnProperty(isTaken ? repairs.topLevel : extra, key, event[key] ?? null);
  }
  return extra;
}

/**
 * `extra` with an `extra.faultline` written by Faultline alone; the sender's value moves to `extra.faultline.sender`. Hops are kept, because they end loops,
 * and with `keepsWeight` also the weight.
 */
function withFaultlineExtra(extra: JsonObject | null, repairs: Repairs, keepsWeight: boolean): JsonObject {
  const faultline: JsonObject = {};
  const hops = hopsOf(extra);
  if (hops > 0) faultline['hops'] = hops;
  if (hasMembers(repairs.originals)) faultline['original'] = repairs.originals;
  if (keepsWeight) Object.assign(faultline, weightMembers(extra));
  if (extra !== null && Object.hasOwn(extra, 'faultline')) faultline['sender'] = extra['faultline'] ?? null;
  if (hasMembers(repairs.topLevel)) faultline['top_level'] = repairs.topLevel;
  return { ...extra, faultline };
}
