import { hash } from 'node:crypto';
import { Fault } from '../event/fault.js';
import type { JsonValue } from '../event/json.js';

/** Newest version of the built-in rules. It is hashed, so fingerprints of two versions are never equal. */
export const FINGERPRINT_VERSION = 4;
/** Supported versions, the newest last. A released version never changes. */
export const GROUPING_VERSIONS: readonly number[] = [FINGERPRINT_VERSION];

/** A version of the built-in rules and the user's changes, as plain JSON. */
export interface GroupingSettings {
  readonly version: number;
  /** Names of disabled message patterns, sorted. */
  readonly patterns_off: readonly string[];
  /** In order: the first that sets a fingerprint wins, all other effects add up. */
  readonly rules: readonly GroupingRule[];
}

/** One rule of the user. */
export interface GroupingRule {
  /** Shown in the basis, never hashed. */
  readonly name: string;
  /** Query about payloads; blank matches every event. */
  readonly query: string;
  /** Parts with variables such as `{{ default }}`, `{{ error_name }}`, `{{ tags.region }}`; a missing value is empty. */
  readonly fingerprint?: readonly string[];
  /** Frames that never decide. */
  readonly ignore_frames?: readonly FrameMatcher[];
  readonly in_app?: readonly FrameMatcher[];
  /** Wins over `in_app` of the same rule. */
  readonly not_in_app?: readonly FrameMatcher[];
  readonly patterns_off?: readonly string[];
  /** Enables patterns that the settings or an earlier rule disabled. */
  readonly patterns_on?: readonly string[];
  /** Fields whose values separate failures. */
  readonly split_by?: readonly string[];
}

/** Matches normalized frames; all given members must match. `*` stands for any text, case is ignored. */
export interface FrameMatcher {
  readonly function?: string;
  readonly module?: string;
  readonly file?: string;
}

/** The newest version without changes. */
export const DEFAULT_GROUPING: GroupingSettings = { version: FINGERPRINT_VERSION, patterns_off: [], rules: [] };

const KEY_LENGTH = 16;

/** Identifies settings by 16 hexadecimal characters; independent of the order of their keys. */
export function groupingKey({ version, patterns_off, rules }: GroupingSettings): string {
  return hash('sha256', JSON.stringify(sorted({ version, patterns_off, rules }))).slice(0, KEY_LENGTH);
}

function sorted(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return toJson(value);
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, part]): JsonValue[] => [key, sorted(part)]);
}

function toJson(value: unknown): JsonValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** `GROUPING_INVALID`: the problem of a rule, or of the settings if `rule` is null. */
export class GroupingFault extends Fault {
  /** The message without the name of the rule. */
  readonly problem: string;

  constructor(rule: string | null, problem: string, cause?: unknown) {
    const where = rule === null ? 'Grouping' : `Grouping, rule "${rule}"`;
    super('GROUPING_INVALID', `${where}: ${problem}`, cause === undefined ? {} : { cause });
    this.problem = problem;
  }
}
