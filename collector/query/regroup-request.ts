import type { IncomingMessage } from 'node:http';
import { type SchemaFault, validateSettings } from '../../config/check/settings-validator.js';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { GROUPING_VERSIONS } from '../../core/fingerprint/grouping-settings.js';
import { checkGrouping } from '../../core/fingerprint/rules/check-grouping.js';
import type { GroupingChoice } from '../../core/storage/regroup/regrouping.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { readJsonBody } from './read-json-body.js';

/** Something that is wrong in a body. */
interface BodyProblem {
  /** JSON pointer. */
  readonly field: string;
  readonly detail: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** More of a kind are left out of an answer, and not worded. */
const MAX_PROBLEMS = 100;
/** UTF-16 units of one sentence, which may quote what was sent. */
const MAX_DETAIL_LENGTH = 1_000;
/** Of a list or an object: the check takes time by its square. */
const MAX_ENTRIES = 1_000;
/** A section is no deeper. */
const MAX_DEPTH = 5;
const SECTION = '/grouping';
const MEMBERS = ['version', 'patterns_off', 'rules'] as const;
const TYPE_NAMES: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a text' };

/** Reads by what everything is to be grouped. Throws `GROUPING_INVALID`, which lists everything that is wrong in `errors`, and what a request of this kind may meet. */
export async function parseGroupingChoice(request: IncomingMessage): Promise<GroupingChoice> {
  const body = await readObject(request);
  const unknown = Object.keys(body).filter((member) => !MEMBERS.some((known) => known === member));
  const problems = firstOf(unknown).map((member) => unknownMember('', member, MEMBERS));
  const version = versionOf(body['version'], problems);
  const { rules = null, patterns_off = null } = body;
  const choice = sectionOf(
    { ...(rules !== null && { rules }), ...(patterns_off !== null && { patterns_off }) },
    problems,
  );
  if (problems.length > 0) throw invalid(problems);
  return { ...choice, ...(version !== undefined && { version }) };
}

/** Reads the body of what takes no members, an empty object. Throws as above. */
export async function expectEmptyObject(request: IncomingMessage): Promise<void> {
  const members = Object.keys(await readObject(request));
  if (members.length > 0) throw invalid(firstOf(members).map((member) => unknownMember('', member, [])));
}

async function readObject(request: IncomingMessage): Promise<JsonObject> {
  const body = await readJsonBody(request, MAX_BODY_BYTES);
  if (isJsonObject(body)) return body;
  throw invalid([{ field: '', detail: 'the body must be an object, for example {}' }]);
}

function versionOf(value: unknown, problems: BodyProblem[]): GroupingChoice['version'] {
  const found = GROUPING_VERSIONS.find((version) => version === value);
  if (found === undefined && value !== undefined && value !== null) {
    problems.push({ field: '/version', detail: `must be ${GROUPING_VERSIONS.join(' or ')}` });
  }
  return found;
}

/** The members that a section of a configuration has, checked as those; only the ones that were given. */
function sectionOf(given: JsonObject, problems: BodyProblem[]): GroupingChoice {
  const large = oversized(given, []);
  if (large !== undefined) {
    problems.push({ field: pointer(large), detail: `must have at most ${MAX_ENTRIES} entries` });
    return {};
  }
  // Everything else of a configuration has defaults, and defaults are filled into what is checked.
  const checked = validateSettings({ grouping: { ...given } });
  if ('faults' in checked) {
    problems.push(...firstOf(checked.faults).map(schemaProblem));
    return {};
  }
  const { rules, patterns_off } = checked.settings.grouping;
  const found = firstOf(checkGrouping({ rules, patterns_off }));
  problems.push(...found.map(({ path, message }) => ({ field: pointer(path), detail: message })));
  return { ...('rules' in given && { rules }), ...('patterns_off' in given && { patterns_off }) };
}

/** The path to the first value with too many entries. */
function oversized(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return undefined;
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) return path;
  for (const [key, entry] of entries) {
    const found = oversized(entry, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function schemaProblem({ instancePath, keyword, params, message, parentSchema }: SchemaFault): BodyProblem {
  const field = instancePath.replace(SECTION, '');
  if (keyword === 'additionalProperties') {
    const properties: unknown = parentSchema?.['properties'];
    const known = isJsonObject(properties) ? Object.keys(properties) : [];
    return unknownMember(field, String(params['additionalProperty']), known);
  }
  const [type] = [params['type']].flat();
  return { field, detail: keyword === 'type' ? `must be ${TYPE_NAMES[String(type)] ?? type}` : (message ?? keyword) };
}

function firstOf<One>(found: readonly One[]): readonly One[] {
  return found.slice(0, MAX_PROBLEMS);
}

function unknownMember(parent: string, member: string, known: readonly string[]): BodyProblem {
  const meant = closest(member, known);
  const taken = known.length === 0 ? 'none is taken here' : `known are ${known.join(', ')}`;
  const hint = meant === undefined ? taken : `did you mean ${meant}?`;
  return { field: `${parent}${pointer([member])}`, detail: `there is no member ${quoted(member)}: ${hint}` };
}

/** RFC 6901; a member's name may be anything that was sent. */
function pointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function invalid(problems: readonly BodyProblem[]): RequestFault {
  const errors = firstOf(problems).map(({ field, detail }) => ({ field, detail: cut(detail) }));
  const [first] = errors;
  const more = problems.length > 1 ? ' (and more, see errors)' : '';
  const where = first?.field ? `${first.field}: ` : '';
  return new RequestFault('GROUPING_INVALID', `${where}${first?.detail ?? ''}${more}`, { members: { errors } });
}

function cut(text: string): string {
  return text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH)}…` : text;
}
