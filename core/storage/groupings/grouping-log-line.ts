import { Fault } from '../../event/fault.js';
import { type IssueId, toIssueId } from '../../event/ids.js';
import { isJsonObject } from '../../event/json.js';
import { FINGERPRINT_VERSION, type GroupingRule, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import { parseJson } from '../record/commits/commit-record.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';

const GROUPING_ACTIONS = ['begin', 'configure', 'apply', 'roll_back'] as const;
/**
 * What a line says: `begin`: how the folder groups from its first event on; `configure`: the user's rules for what arrives from now on; `apply`: everything
 * received so far is grouped by these settings; `roll_back`: as it was before the last `apply` that stands.
 */
export type GroupingAction = (typeof GROUPING_ACTIONS)[number];

/** Issues that hold the events of others now, by the id of those. */
export type Follows = ReadonlyMap<IssueId, readonly IssueId[]>;

/** One line of `groupings.ndjson`: `{"id","at","action","settings","through","follows"}`. */
export interface GroupingLine {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** Microseconds since the epoch, on the clock that dates receipts. */
  readonly atMicros: number;
  readonly action: GroupingAction;
  /** Of `roll_back`: what groups the events that came since the `apply`. */
  readonly settings: GroupingSettings;
  /** `received_at` of the last event that `apply` or `roll_back` concerns; 0 for others. */
  readonly throughMicros: number;
  /** Of the issues with actions. */
  readonly follows: Follows;
}

/** No line is longer, in bytes without the newline. */
export const MAX_GROUPING_BYTES = 64 * 1024 * 1024;

/** The line with its newline. */
export function encodeGroupingLine({ id, atMicros, action, settings, throughMicros, follows }: GroupingLine): string {
  const through = formatMicros(throughMicros);
  const line = { id, at: formatMicros(atMicros), action, settings, through, follows: Object.fromEntries(follows) };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Reads a line without its newline; undefined when it is none. Throws Fault `GROUPING_INVALID` for rules of a version that this program does not know:
 * treating that as damage would group the record otherwise than it is.
 */
export function readGroupingLine(text: string): GroupingLine | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { id, at, action: actionText, settings: settingsValue, through, follows: followsValue } = value;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof through !== 'string') return undefined;
  const action = GROUPING_ACTIONS.find((known) => known === actionText);
  const atMicros = parseMicros(at);
  const throughMicros = parseMicros(through);
  const follows = readFollows(followsValue);
  if (action === undefined || atMicros === undefined || throughMicros === undefined || follows === undefined)
    return undefined;
  const settings = readSettings(settingsValue);
  return settings && { id, atMicros, action, settings, throughMicros, follows };
}

function readFollows(value: unknown): Follows | undefined {
  if (!isJsonObject(value)) return undefined;
  const follows = new Map<IssueId, readonly IssueId[]>();
  for (const [key, ids] of Object.entries(value)) {
    const issueId = toIssueId(key);
    if (issueId === undefined || !isTexts(ids)) return undefined;
    const targets = ids.map((id) => toIssueId(id)).filter((id) => id !== undefined);
    if (targets.length < ids.length) return undefined;
    follows.set(issueId, targets);
  }
  return follows;
}

function readSettings(value: unknown): GroupingSettings | undefined {
  if (!isJsonObject(value)) return undefined;
  const { version, patterns_off: patternsOff, rules }: { [key: string]: unknown } = value;
  if (!isTexts(patternsOff) || !Array.isArray(rules) || !rules.every(isRule)) return undefined;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return undefined;
  if (version > FINGERPRINT_VERSION) throw unknownVersion(version);
  return { version, patterns_off: patternsOff, rules };
}

const FRAME_KEYS = ['ignore_frames', 'in_app', 'not_in_app'] as const;
const TEXT_KEYS = ['fingerprint', 'patterns_off', 'patterns_on', 'split_by'] as const;

/** Its form; what it says is checked where a grouper is made of it. */
function isRule(value: unknown): value is GroupingRule {
  if (!isJsonObject(value) || typeof value['name'] !== 'string' || typeof value['query'] !== 'string') return false;
  const isAbsentOr = (key: string, is: (part: unknown) => boolean): boolean =>
    value[key] === undefined || is(value[key]);
  const areFrames = (part: unknown): boolean => Array.isArray(part) && part.every(isFrameMatcher);
  return FRAME_KEYS.every((key) => isAbsentOr(key, areFrames)) && TEXT_KEYS.every((key) => isAbsentOr(key, isTexts));
}

function isFrameMatcher(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((part) => typeof part === 'string');
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function unknownVersion(version: number): Fault {
  return new Fault(
    'GROUPING_INVALID',
    `groupings.ndjson groups by version ${version} of the rules, and this program knows them up to version ${FINGERPRINT_VERSION}. Use the program that wrote it, or a newer one.`,
  );
}
