import type { ComparedEvent, DifferingPart, EqualPart, GroupingComparison } from '../../generated/reader-answers.js';
import type { RawPayload } from '../event/raw-payload.js';
import { hashedText } from '../fingerprint/decide-fingerprint.js';
import type { BasisPart, FingerprintBasis } from '../fingerprint/fingerprint.js';
import { createGrouper } from '../fingerprint/grouper.js';
import type { GroupingSettings } from '../fingerprint/grouping-settings.js';
import { PATTERN_NAMES } from '../fingerprint/message/message-patterns.js';
import { messageText } from '../fingerprint/message/message-text.js';
import { createParameterizer, parameterize } from '../fingerprint/message/parameterize.js';
import { parseClientMaterial } from '../fingerprint/sentry-material.js';
import { beginTimeSlice } from '../time-slice.js';
import { joinCandidates } from './join-candidates.js';
import { type GroupedExample, queriesFor } from './query-for.js';
import { firstWorkingRule, type RuleCandidate } from './try-candidates.js';

/** Disabling more patterns at once would replace hardly any values. */
const MAX_ROWS = 3;

const MAX_TAGS = 64;
const FIELDS = ['route', 'method', 'status_code', 'release', 'environment'] as const;

/** Compares two events and suggests a rule that joins or separates them in addition to `settings`. Yields to the event loop. Rejects with `GROUPING_INVALID`. */
export async function compareGroupings(
  a: GroupedExample,
  b: GroupedExample,
  settings: GroupingSettings,
): Promise<GroupingComparison> {
  return {
    same: a.issueId === b.issueId,
    a: comparedEvent(a),
    b: comparedEvent(b),
    ...compareParts(a.fingerprint.basis, b.fingerprint.basis),
    ...(await adviceFor(a, b, settings)),
  };
}

function comparedEvent({ id, eventId, issueId, payload, fingerprint }: GroupedExample): ComparedEvent {
  const { value, version, title, culprit, basis } = fingerprint;
  const { app, service } = payload;
  const ids = { id, event_id: eventId, issue_id: issueId };
  return { ...ids, app, service, fingerprint: value, version, title, culprit, rule: basis.rule };
}

type Advice = Pick<GroupingComparison, 'suggestion' | 'note'>;

async function adviceFor(a: GroupedExample, b: GroupedExample, settings: GroupingSettings): Promise<Advice> {
  if (a.eventId === b.eventId) return only('Both are the same event.');
  const areAlike = a.fingerprint.value === b.fingerprint.value;
  if (a.payload.app !== b.payload.app || a.payload.service !== b.payload.service) {
    const kinship = areAlike
      ? 'Both are the same failure in two services, and shown as related issues.'
      : 'They came from two services.';
    return only(`${kinship} An issue belongs to one app and service, so no rule joins them.`);
  }
  const isOneIssue = a.issueId === b.issueId;
  if (isOneIssue && !areAlike)
    return only(
      'They have different fingerprints and are one issue because a user merged them; `split` separates them.',
    );
  const grouper = createGrouper(settings);
  const wouldBeAlike = grouper.fingerprint(a.payload).value === grouper.fingerprint(b.payload).value;
  if (wouldBeAlike !== areAlike) {
    const outcome = wouldBeAlike ? 'make them one issue' : 'make them two issues';
    return only(`The rules of today ${outcome}: \`faultline regroup --apply\` brings that to stored events.`);
  }
  return areAlike ? separating(a, b, settings) : joining(a, b, settings);
}

async function joining(a: GroupedExample, b: GroupedExample, settings: GroupingSettings): Promise<Advice> {
  const also = `Without a rule, and to be undone at will: \`faultline merge ${a.issueId} ${b.issueId}\``;
  const rule = await firstWorkingRule('join', joinCandidates(a, b, settings), [a.payload, b.payload], settings);
  if (rule !== undefined) return { suggestion: { purpose: 'join', ...rule, also }, note: null };
  const split = [a, b]
    .flatMap(({ fingerprint }) => fingerprint.basis.parts)
    .find(({ part, used }) => part === 'split' && used);
  const why =
    split === undefined ? 'No rule that was tried joins them.' : `No further rule joins them: ${split.reason}`;
  return only(`${why} ${also}`);
}

async function separating(a: GroupedExample, b: GroupedExample, settings: GroupingSettings): Promise<Advice> {
  const candidates = separateCandidates(a, b, settings);
  const rule = await firstWorkingRule('separate', candidates, [a.payload, b.payload], settings);
  if (rule !== undefined) return { suggestion: { purpose: 'separate', ...rule, also: null }, note: null };
  return only('Nothing that a rule can look at tells them apart.');
}

function only(note: string): Advice {
  return { suggestion: null, note };
}

const ABSENT = { used: false, value: null, reason: 'The event has no such part.' } as const;

function compareParts(
  a: FingerprintBasis,
  b: FingerprintBasis,
): { readonly equal: EqualPart[]; readonly differ: DifferingPart[] } {
  const others = byOccurrence(b.parts);
  const equal: EqualPart[] = [];
  const differ: DifferingPart[] = [];
  for (const [key, one] of byOccurrence(a.parts)) {
    const other = others.get(key);
    others.delete(key);
    if (other !== undefined && areAlike(one, other)) {
      equal.push({ part: one.part, value: one.value, used: one.used });
    } else differ.push(difference(one.part, one, other ?? ABSENT));
  }
  for (const other of others.values()) differ.push(difference(other.part, ABSENT, other));
  return { equal, differ };
}

function byOccurrence(parts: readonly BasisPart[]): Map<string, BasisPart> {
  const byKey = new Map<string, BasisPart>();
  for (const part of parts) {
    let occurrence = 0;
    while (byKey.has(`${occurrence} ${part.part}`)) occurrence += 1;
    byKey.set(`${occurrence} ${part.part}`, part);
  }
  return byKey;
}

type Side = Pick<BasisPart, 'used' | 'value' | 'reason'>;

function areAlike(a: BasisPart, b: BasisPart): boolean {
  return a.used === b.used && hashedText(a) === hashedText(b);
}

function difference(part: string, a: Side, b: Side): DifferingPart {
  const values = { a: a.value, b: b.value, used_a: a.used, used_b: b.used };
  return { part, ...values, reason_a: a.reason, reason_b: b.reason };
}

/** Finds few patterns that make two messages equal, by halving the table because each try compiles it; empty if more than `MAX_ROWS` are needed. Yields to the event loop. */
async function hidingRows(a: RawPayload, b: RawPayload, { patterns_off: off }: GroupingSettings): Promise<string[]> {
  if (a.message === b.message) return [];
  const slice = beginTimeSlice();
  const differWithout = async (rows: readonly string[]): Promise<boolean> => {
    if (slice.isOver) await slice.next();
    const replace = createParameterizer(new Set([...off, ...rows]));
    const read = ({ error_name: type, message, extra }: RawPayload): string =>
      messageText(type, message, replace, parseClientMaterial(extra).template).value;
    return read(a) !== read(b);
  };
  let rows = [...PATTERN_NAMES];
  if (!(await differWithout(rows))) return [];
  while (rows.length > 1) {
    const middle = rows.length >> 1;
    const [first, second] = [rows.slice(0, middle), rows.slice(middle)];
    if (await differWithout(first)) rows = first;
    else if (await differWithout(second)) rows = second;
    else break;
  }
  return rows.length > MAX_ROWS ? [] : rows;
}

/** Rules that may separate two events of an issue, the one with the smallest effect first. */
async function* separateCandidates(
  a: GroupedExample,
  b: GroupedExample,
  settings: GroupingSettings,
): AsyncGenerator<RuleCandidate> {
  const title = `apart: ${a.fingerprint.title}`;
  const [query = ''] = queriesFor(a, b);
  const why = 'The message, with its values replaced, decides as well.';
  yield { title, place: 'first', why, rule: { query, fingerprint: ['{{ default }}', '{{ message }}'] } };
  const rows = await hidingRows(a.payload, b.payload, settings);
  if (rows.length > 0) {
    const kinds = `Values of the kind ${rows.join(' and ')} stay in the messages of this query`;
    const effect = `${kinds}: each other value there becomes an issue of its own.`;
    yield { title, place: 'last', why: effect, rule: { query, patterns_off: rows } };
  }
  for (const field of differingFields(a.payload, b.payload)) {
    const splitting = `Each value of ${field} becomes an issue of its own.`;
    yield { title, place: 'last', why: splitting, rule: { query, split_by: [field] } };
  }
}

/** Tags first, with generated values last, then fields. */
function differingFields(a: RawPayload, b: RawPayload): string[] {
  const keys = [...new Set([...Object.keys(a.tags), ...Object.keys(b.tags)])].slice(0, MAX_TAGS);
  const differing = keys.filter((key) => key !== '' && a.tags[key] !== b.tags[key]);
  const isPlain = (key: string): boolean => [a.tags[key], b.tags[key]].every((text) => !isGenerated(text));
  const ordered = [...differing.filter(isPlain), ...differing.filter((key) => !isPlain(key))];
  return [...ordered.map((key) => `tags.${key}`), ...FIELDS];
}

/** Whether parameterizing changes the text. */
function isGenerated(text: string | undefined): boolean {
  return text !== undefined && text.length < 1_000 && parameterize(text) !== text;
}
