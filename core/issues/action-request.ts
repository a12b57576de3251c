import type { ActionName, ActionRequest } from '../../generated/reader-answers.js';
import { Fault } from '../event/fault.js';
import { type FingerprintValue, type IssueId, isFingerprint, toIssueId } from '../event/ids.js';
import { isJsonObject, type JsonValue } from '../event/json.js';
import { cutText } from '../event/text.js';

const MAX_ACTOR = 200;
const MAX_REASON = 2_000;
const MAX_TEXT = 16_384;
/** UTF-16 units of an assignee or a release. */
const MAX_NAME = 200;
const MAX_ISSUES = 500;
const MAX_SNOOZE = 64;
const MAX_ACTION_ID = 64;

/** Parses the value of one member; throws `ACTION_INVALID`. */
type ParseMember = (value: unknown, member: string) => unknown;

const COMMON: Readonly<Record<string, ParseMember>> = {
  action: (value) => value,
  actor: (value, member) => (value === null ? null : text(value, member, MAX_ACTOR)),
  reason: (value, member) => (value === null ? null : text(value, member, MAX_REASON)),
};

/** The members of each action besides `COMMON`. */
const MEMBERS: Readonly<Record<ActionName, Readonly<Record<string, ParseMember>>>> = {
  resolve: { in_next_release: flag, in_release: name },
  reopen: {},
  ignore: { snooze: (value, member) => text(value, member, MAX_SNOOZE, 0) },
  assign: { assignee: (value, member) => (value === null ? null : name(value, member)) },
  comment: { text: (value, member) => text(value, member, MAX_TEXT) },
  merge: { issues: issueIds },
  split: { issues: issueIds, fingerprints },
  undo: { undoes: (value, member) => text(value, member, MAX_ACTION_ID) },
};

const REQUIRED: Readonly<Partial<Record<ActionName, string>>> = {
  assign: 'assignee',
  comment: 'text',
  merge: 'issues',
};

/** Checks a requested action. Throws `ACTION_INVALID`, which names the member and what was expected. */
export function checkActionRequest(request: unknown): ActionRequest {
  if (!isJsonObject(request)) throw invalid('An action is an object with the member `action`.', null);
  const { action } = request;
  if (!isActionName(action)) throw invalid(`\`action\` must be one of ${Object.keys(MEMBERS).join(', ')}.`, 'action');
  const members = { ...COMMON, ...MEMBERS[action] };
  const checked: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(request)) {
    if (value === undefined) continue;
    const parse = Object.hasOwn(members, member) ? members[member] : undefined;
    if (parse === undefined) {
      const shown = JSON.stringify(cutText(member, MAX_NAME));
      throw invalid(`${shown} is not a member of ${action}; expected ${Object.keys(members).join(', ')}.`, member);
    }
    checked[member] = parse(value, member);
  }
  const required = REQUIRED[action];
  if (required !== undefined && !Object.hasOwn(checked, required)) {
    throw invalid(`\`${required}\` is missing; ${action} requires it.`, required);
  }
  if (checked['in_next_release'] === true && checked['in_release'] !== undefined) {
    throw invalid('`in_release` and `in_next_release` exclude each other; set one of them.', 'in_release');
  }
  return { ...checked, action };
}

/** Checks the body of a decision and returns who decides, null if not given. Throws `ACTION_INVALID`. */
export function checkDecider(request: unknown): string | null {
  if (!isJsonObject(request)) throw invalid('A decision is an object, for example {"by":"anna"}.', null);
  const { by = null, ...others } = request;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid('A decision has the member `by` only.', other);
  return by === null ? null : text(by, 'by', MAX_ACTOR);
}

function isActionName(name: JsonValue | undefined): name is ActionName {
  return typeof name === 'string' && Object.hasOwn(MEMBERS, name);
}

/** Creates an `ActionFault`. */
export function invalid(sentence: string, member: string | null): ActionFault {
  return new ActionFault(sentence, member);
}

function text(value: unknown, member: string, maxLength: number, minLength = 1): string {
  if (typeof value === 'string' && value.length >= minLength && value.length <= maxLength) return value;
  throw invalid(`\`${member}\` must be a string of ${minLength} to ${maxLength} characters.`, member);
}

function name(value: unknown, member: string): string {
  return text(value, member, MAX_NAME);
}

function flag(value: unknown, member: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(`\`${member}\` must be true or false.`, member);
}

function issueIds(value: unknown, member: string): IssueId[] {
  const ids = Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? toIssueId(one) : undefined)) : [];
  const valid = ids.filter((id) => id !== undefined);
  if (valid.length >= 1 && valid.length <= MAX_ISSUES && valid.length === ids.length) return [...new Set(valid)];
  throw invalid(`\`${member}\` must be a list of 1 to ${MAX_ISSUES} issue ids.`, member);
}

function fingerprints(value: unknown, member: string): FingerprintValue[] {
  const isOurs = (one: unknown): one is FingerprintValue => typeof one === 'string' && isFingerprint(one);
  if (Array.isArray(value) && value.length >= 1 && value.length <= MAX_ISSUES && value.every(isOurs))
    return [...new Set(value)];
  throw invalid(`\`${member}\` must be a list of 1 to ${MAX_ISSUES} fingerprints.`, member);
}

/** `ACTION_INVALID`: a requested action is malformed. */
export class ActionFault extends Fault {
  /** The invalid member; null if the whole request is invalid. */
  readonly member: string | null;

  constructor(message: string, member: string | null) {
    super('ACTION_INVALID', message);
    this.member = member;
  }
}
