import type { IncomingMessage } from 'node:http';
import { type SchemaFault, validateSettings } from '../../config/check/settings-validator.js';
import { quoted } from '../../config/values/printable.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import { GROUPING_VERSIONS } from '../../core/fingerprint/grouping-settings.js';
import { checkGrouping } from '../../core/fingerprint/rules/check-grouping.js';
import type { GroupingChoice } from '../../core/storage/regroup/regrouping.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { nameHint } from './parameters.js';
import { jsonPointer, readJsonBody } from './read-json-body.js';

interface BodyProblem {
  /** JSON pointer. */
  readonly field: string;
  readonly detail: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** Further problems of a kind are omitted. */
const MAX_PROBLEMS = 100;
/** UTF-16 units of one sentence, which may quote the request. */
const MAX_DETAIL_LENGTH = 1_000;
/** Of a list or an object: the check takes quadratic time. */
const MAX_ENTRIES = 1_000;
/** Depth of the configuration section. */
const MAX_DEPTH = 5;
const SECTION = '/grouping';
const MEMBERS = ['version', 'patterns_off', 'rules', 'keep_rules'] as const;
const TYPE_NAMES: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a text' };

/** Parses the body of a regrouping. Throws `GROUPING_INVALID`, whose `errors` list every problem, and what `readJsonBody` throws. */
export async function parseGroupingChoice(request: IncomingMessage): Promise<GroupingChoice> {
  const body = await readObject(request);
  const unknown = Object.keys(body).filter((member) => !MEMBERS.some((known) => known === member));
  const problems = firstOf(unknown).map((member) => unknownMember('', member, MEMBERS));
  const version = parseVersion(body['version'], problems);
  const { rules = null, patterns_off = null, keep_rules = false } = body;
  if (typeof keep_rules !== 'boolean') problems.push({ field: '/keep_rules', detail: 'must be true or false' });
  const choice = parseSection(
    { ...(rules !== null && { rules }), ...(patterns_off !== null && { patterns_off }) },
    problems,
  );
  if (problems.length > 0) throw invalid(problems);
  return { ...choice, keep_rules: keep_rules === true, ...(version !== undefined && { version }) };
}

/** Requires an empty object. Throws as above. */
export async function expectEmptyObject(request: IncomingMessage): Promise<void> {
  const members = Object.keys(await readObject(request));
  if (members.length > 0) throw invalid(firstOf(members).map((member) => unknownMember('', member, [])));
}

async function readObject(request: IncomingMessage): Promise<JsonObject> {
  const body = await readJsonBody(request, MAX_BODY_BYTES);
  if (isJsonObject(body)) return body;
  throw invalid([{ field: '', detail: 'the body must be an object, for example {}' }]);
}

function parseVersion(value: unknown, problems: BodyProblem[]): GroupingChoice['version'] {
  const supported = GROUPING_VERSIONS.find((version) => version === value);
  if (supported === undefined && value !== undefined && value !== null) {
    problems.push({ field: '/version', detail: `must be ${GROUPING_VERSIONS.join(' or ')}` });
  }
  return supported;
}

/** Validates the members that are present as a section of the configuration. */
function parseSection(members: JsonObject, problems: BodyProblem[]): GroupingChoice {
  const large = oversizedPath(members, []);
  if (large !== undefined) {
    problems.push({ field: jsonPointer(large), detail: `must have at most ${MAX_ENTRIES} entries` });
    return {};
  }
  // A copy, because the validator fills in defaults.
  const { settings, faults = [] } = validateSettings({ grouping: { ...members } });
  problems.push(...firstOf(faults).map(schemaProblem));
  if (settings === undefined) return {};
  const { rules, patterns_off } = settings.grouping;
  const groupingFaults = firstOf(checkGrouping({ rules, patterns_off }));
  problems.push(...groupingFaults.map(({ path, message }) => ({ field: jsonPointer(path), detail: message })));
  return { ...('rules' in members && { rules }), ...('patterns_off' in members && { patterns_off }) };
}

function oversizedPath(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return undefined;
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) return path;
  for (const [key, entry] of entries) {
    const oversized = oversizedPath(entry, [...path, key]);
    if (oversized !== undefined) return oversized;
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
  const detail = `no member ${quoted(member)}: ${nameHint(member, known)}`;
  return { field: `${parent}${jsonPointer([member])}`, detail };
}

function invalid(problems: readonly BodyProblem[]): RequestFault {
  const errors = firstOf(problems).map(({ field, detail }) => ({ field, detail: cut(detail) }));
  const [first] = errors;
  const more = problems.length > 1 ? ' (and more, see errors)' : '';
  const where = first?.field ? `${first.field}: ` : '';
  return new RequestFault('GROUPING_INVALID', `${where}${first?.detail ?? ''}${more}`, { members: { errors } });
}

function cut(text: string): string {
  return text.length > MAX_DETAIL_LENGTH ? `${cutText(text, MAX_DETAIL_LENGTH)}…` : text;
}
