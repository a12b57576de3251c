import { Fault } from '../../event/fault.js';
import { type IssueId, toIssueId } from '../../event/ids.js';
import { isJsonObject, parseJson } from '../../event/json.js';
import { FINGERPRINT_VERSION, type GroupingRule, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';

const GROUPING_ACTIONS = ['begin', 'configure', 'apply', 'roll_back'] as const;
/**
 * `begin`: how the folder groups from its first event on; `configure`: the user's rules for later events; `apply`: groups all earlier
 * events by these settings; `roll_back`: reverts the last active `apply`.
 */
export type GroupingAction = (typeof GROUPING_ACTIONS)[number];

/** By issue: the issues that hold its events now. */
export type Follows = ReadonlyMap<IssueId, readonly IssueId[]>;

/** One line of `groupings.ndjson`: `{"id","at","action","settings","through","follows"}`. */
export interface GroupingLine {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** Microseconds since the epoch, on the clock of receipts. */
  readonly atMicros: number;
  readonly action: GroupingAction;
  /** Of `roll_back`: for the events received since the `apply`. */
  readonly settings: GroupingSettings;
  /** `received_at` of the last event of an `apply` or `roll_back`; else 0. */
  readonly throughMicros: number;
  /** Only of issues with actions. */
  readonly follows: Follows;
}

/** Most bytes of a line, without its newline. */
export const MAX_GROUPING_BYTES = 64 * 1024 * 1024;

export function encodeGroupingLine({ id, atMicros, action, settings, throughMicros, follows }: GroupingLine): string {
  const through = formatMicros(throughMicros);
  const line = { id, at: formatMicros(atMicros), action, settings, through, follows: Object.fromEntries(follows) };
  return `${JSON.stringify(line)}\n`;
}

/** Parses a line without its newline; undefined if it is invalid. Throws `GROUPING_INVALID` for newer rules. */
export function parseGroupingLine(text: string): GroupingLine | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { id, at, action: actionText, settings: settingsValue, through, follows: followsValue } = value;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof through !== 'string') return undefined;
  const action = GROUPING_ACTIONS.find((name) => name === actionText);
  const atMicros = parseMicros(at);
  const throughMicros = parseMicros(through);
  const follows = parseFollows(followsValue);
  if (action === undefined || atMicros === undefined || throughMicros === undefined || follows === undefined)
    return undefined;
  const settings = parseSettings(settingsValue);
  return settings && { id, atMicros, action, settings, throughMicros, follows };
}

function parseFollows(value: unknown): Follows | undefined {
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

function parseSettings(value: unknown): GroupingSettings | undefined {
  if (!isJsonObject(value)) return undefined;
  const { version, patterns_off: patternsOff, rules }: { [key: string]: unknown } = value;
  if (!isTexts(patternsOff) || !Array.isArray(rules) || !rules.every(isRule)) return undefined;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return undefined;
  if (version > FINGERPRINT_VERSION) throw unknownVersion(version);
  return { version, patterns_off: patternsOff, rules };
}

const FRAME_KEYS = ['ignore_frames', 'in_app', 'not_in_app'] as const;
const TEXT_KEYS = ['fingerprint', 'patterns_off', 'patterns_on', 'split_by'] as const;

/** Checks the form only; a grouper checks the content. */
function isRule(value: unknown): value is GroupingRule {
  if (!isJsonObject(value) || typeof value['name'] !== 'string' || typeof value['query'] !== 'string') return false;
  const isAbsentOr = (key: string, is: (member: unknown) => boolean): boolean =>
    value[key] === undefined || is(value[key]);
  const areFrames = (frames: unknown): boolean => Array.isArray(frames) && frames.every(isFrameMatcher);
  return FRAME_KEYS.every((key) => isAbsentOr(key, areFrames)) && TEXT_KEYS.every((key) => isAbsentOr(key, isTexts));
}

function isFrameMatcher(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
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
