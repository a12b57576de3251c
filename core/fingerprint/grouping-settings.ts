import { hash } from 'node:crypto';
import type { JsonValue } from '../event/json.js';

/** Newest version of the built-in rules. It is hashed with the parts, so values of two versions are never equal. */
export const FINGERPRINT_VERSION = 2;
/** All versions that this program knows, the newest last. A version that was released never changes. */
export const GROUPING_VERSIONS: readonly number[] = [FINGERPRINT_VERSION];

/** What groups: one version of the built-in rules, and what the user changes in them. Plain JSON: stored, compared. */
export interface GroupingSettings {
  readonly version: number;
  /** Names of message rows that are switched off, sorted. */
  readonly patterns_off: readonly string[];
  /** In order: the first that sets a fingerprint wins, the effects of others add up. */
  readonly rules: readonly GroupingRule[];
}

/** What a user wants to be grouped differently. */
export interface GroupingRule {
  /** For the basis and for people; never hashed. */
  readonly name: string;
  /** Query about payloads; blank: every event. */
  readonly query: string;
  /** Parts with variables such as `{{ default }}`, `{{ error_name }}`, `{{ tags.region }}`; a variable without a value is the empty text. */
  readonly fingerprint?: readonly string[];
  /** Frames that never decide. */
  readonly ignore_frames?: readonly FrameMatcher[];
  /** Frames that are the application's. */
  readonly in_app?: readonly FrameMatcher[];
  /** Frames that are a library's; wins over `in_app` of the same rule. */
  readonly not_in_app?: readonly FrameMatcher[];
  readonly patterns_off?: readonly string[];
  /** Switches rows on again that the settings or an earlier rule switched off. */
  readonly patterns_on?: readonly string[];
  /** Fields of which each value is a failure of its own. */
  readonly split_by?: readonly string[];
}

/** Some frames; `*` stands for any text, upper and lower case are alike. All that is given must match the normalized frame. */
export interface FrameMatcher {
  readonly function?: string;
  readonly module?: string;
  readonly file?: string;
}

/** The newest version, nothing changed. */
export const DEFAULT_GROUPING: GroupingSettings = { version: FINGERPRINT_VERSION, patterns_off: [], rules: [] };

/** Hexadecimal characters of a key. */
const KEY_LENGTH = 16;

/** Names settings: the same for settings that say the same, in whatever order their keys are. */
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
