import type { Suggestion } from '../../generated/reader-answers.js';
import type { IssueId } from '../event/ids.js';
import type { RawPayload } from '../event/raw-payload.js';
import { grouperWith } from '../explain/try-candidates.js';
import { createGrouper, type Grouper } from '../fingerprint/grouper.js';
import type { GroupingSettings } from '../fingerprint/grouping-settings.js';
import { beginTimeSlice } from '../time-slice.js';
import { type ComparedIssue, findCandidates, MIN_VALUES, messageOf } from './find-candidates.js';
import { isExpectation, LITERAL, likelyOnes, MIN_LITERALS } from './is-likely-one.js';
import { isDecided, separation, suggestionOf } from './suggest-rule.js';

/** Events of an issue that give one reason, as far as the words of their messages tell. */
interface Reason {
  readonly payloads: RawPayload[];
  /** Words of each message, with its values replaced. */
  readonly messages: string[][];
}

/** Issues with the most events, and events read of each. */
const MAX_ISSUES = 100;
const EVENTS_READ = 24;
const MIN_EVENTS = 3;

/** A message with more reasons is a text of its callers. */
const MAX_REASONS = 4;

/** Of the literal words of the shorter message. */
const MIN_SHARED = 1 / 2;
const PLACEHOLDER = /<[a-z]{1,10}>/g;

const MAX_LISTED = 50;
/** Each try reads an event of each listed issue. */
const MAX_TRIED = 200;

/** Reads at most `count` events of an issue. */
type PayloadsOf = (issueId: IssueId, count: number) => Promise<readonly RawPayload[]>;

/** Returns the suggestions about issues, most events first, with verified rules. No two are about the same issue, so that accepting one leaves the others valid. */
export async function listSuggestions(
  issues: readonly ComparedIssue[],
  settings: GroupingSettings,
  payloadsOf: PayloadsOf,
  isWanted: (suggestion: Suggestion) => boolean,
): Promise<Suggestion[]> {
  const taken = new Set<IssueId>();
  const joins = await findJoins(issues, settings, payloadsOf, isWanted, taken);
  const others = issues.filter(({ issueId }) => !taken.has(issueId));
  const separations = await findSeparations(others, settings, payloadsOf);
  const apart = separations.filter((one) => isWanted(one) && takeIssues(one.issue_ids, taken));
  return byEvents([...joins, ...apart]).slice(0, MAX_LISTED);
}

/** Takes issues for a suggestion; takes none and returns false if one of them is taken already. */
function takeIssues(issueIds: readonly IssueId[], taken: Set<IssueId>): boolean {
  if (issueIds.some((issueId) => taken.has(issueId))) return false;
  for (const issueId of issueIds) taken.add(issueId);
  return true;
}

function byEvents(suggestions: readonly Suggestion[]): Suggestion[] {
  return suggestions.toSorted((one, other) => other.events_total - one.events_total);
}

/** Finds issues whose messages differ in a value, with verified rules that join them; adds the issues to `taken`. */
async function findJoins(
  issues: readonly ComparedIssue[],
  settings: GroupingSettings,
  payloadsOf: PayloadsOf,
  isWanted: (suggestion: Suggestion) => boolean,
  taken: Set<IssueId>,
): Promise<Suggestion[]> {
  const slice = beginTimeSlice();
  const before = createGrouper(settings);
  const tried = new Set<string>();
  const verified: Suggestion[] = [];
  for (const candidate of await likelyOnes(await findCandidates(issues), issues)) {
    if (verified.length === MAX_LISTED || tried.size === MAX_TRIED) break;
    if (slice.isOver) await slice.next();
    const suggestion = suggestionOf(candidate);
    if (tried.has(suggestion.id) || !isWanted(suggestion)) continue;
    tried.add(suggestion.id);
    // The suggestion names only some of its issues.
    const issueIds = candidate.rows.flatMap((row) => issues[row]?.issueId ?? []);
    if (issueIds.some((issueId) => taken.has(issueId))) continue;
    const after = grouperWith(suggestion.rule, 'last', settings);
    const payloads = await Promise.all(suggestion.issue_ids.map((issueId) => payloadsOf(issueId, 1)));
    if (after !== undefined && joins(payloads.flat(), before, after) && takeIssues(issueIds, taken)) {
      verified.push(suggestion);
    }
  }
  return verified;
}

/** Whether events of different issues become one, and their bases differed in the message only. */
function joins(payloads: readonly RawPayload[], before: Grouper, after: Grouper): boolean {
  const values = new Set<string>();
  const bases = new Set<string>();
  const joined = new Set<string>();
  for (const payload of payloads) {
    const fingerprint = before.fingerprint(payload);
    if (isDecided(fingerprint)) return false;
    values.add(fingerprint.value);
    bases.add(JSON.stringify(fingerprint.basis.parts.filter(({ part, used }) => used && part !== 'message')));
    joined.add(after.fingerprint(payload).value);
  }
  return values.size >= MIN_VALUES && bases.size === 1 && joined.size === 1;
}

/** Finds issues of one function whose messages give few different reasons, with verified rules that separate them. */
async function findSeparations(
  issues: readonly ComparedIssue[],
  settings: GroupingSettings,
  payloadsOf: PayloadsOf,
): Promise<Suggestion[]> {
  const before = createGrouper(settings);
  const largest = issues
    .filter((issue) => issue.culprit !== null && issue.count >= 2 * MIN_EVENTS && !isExpectation(issue))
    .sort((one, other) => other.count - one.count)
    .slice(0, MAX_ISSUES);
  const separations: Suggestion[] = [];
  for (const issue of largest) {
    const reasons = await reasonsOf(issue, await payloadsOf(issue.issueId, EVENTS_READ), before);
    if (reasons.length <= MAX_REASONS) separations.push(...separationsOf(issue, reasons, settings, before));
  }
  return separations;
}

async function reasonsOf(issue: ComparedIssue, payloads: readonly RawPayload[], grouper: Grouper): Promise<Reason[]> {
  const slice = beginTimeSlice();
  const reasons: Reason[] = [];
  for (const payload of payloads) {
    if (slice.isOver) await slice.next();
    addTo(reasons, payload, issue, grouper);
  }
  return reasons;
}

/** Verified rules, each of which gives an issue of its own to one of the reasons; the one with the most events stays. */
function separationsOf(
  issue: ComparedIssue,
  reasons: readonly Reason[],
  settings: GroupingSettings,
  before: Grouper,
): Suggestion[] {
  const clear = reasons
    .filter(({ payloads }) => payloads.length >= MIN_EVENTS)
    .sort((one, other) => other.payloads.length - one.payloads.length);
  const texts = clear.map(({ messages: [words = []] }) => words.join(' '));
  const [main, ...others] = clear;
  if (main === undefined) return [];
  return others.flatMap((reason) => {
    const pieces = piecesOf(reason);
    if (literalsOf(pieces.join('').split(' ')).size < MIN_LITERALS) return [];
    const suggestion = separation(issue, reason.payloads[0]?.message ?? '', pieces, texts);
    const after = grouperWith(suggestion.rule, 'last', settings);
    return after !== undefined && separates(reason, main, before, after) ? [suggestion] : [];
  });
}

function addTo(reasons: Reason[], payload: RawPayload, issue: ComparedIssue, grouper: Grouper): void {
  const words = messageOf({ ...issue, title: grouper.fingerprint(payload).title }).split(' ');
  const like = reasons.find(({ messages: [first = []] }) => shareOf(first, words) >= MIN_SHARED);
  if (like === undefined) reasons.push({ payloads: [payload], messages: [words] });
  else {
    like.payloads.push(payload);
    like.messages.push(words);
  }
}

function shareOf(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [literalsOf(one), literalsOf(other)];
  const least = Math.min(a.size, b.size);
  return least === 0 ? 1 : [...a].filter((word) => b.has(word)).length / least;
}

function literalsOf(words: readonly string[]): Set<string> {
  return new Set(words.filter((word) => LITERAL.test(word)));
}

/** The words that all messages of a reason share, at their places or at the start. */
function piecesOf({ messages: [first = [], ...others] }: Reason): string[] {
  const isShared = (at: number): boolean => others.every((words) => words[at] === first[at]);
  const isAligned = others.every(({ length }) => length === first.length);
  const end = isAligned ? first.length : first.findIndex((_, at) => !isShared(at));
  const words = first.slice(0, end).map((word, at) => (isShared(at) ? word : '*'));
  return [...words, ...(isAligned ? [] : ['*'])].join(' ').replaceAll(PLACEHOLDER, '*').split('*');
}

/** Whether the rule moves the events of one reason into one issue of their own, and those of the other into none, unless a rule or the sender decides. */
function separates(reason: Reason, main: Reason, before: Grouper, after: Grouper): boolean {
  if (reason.payloads.some((payload) => isDecided(before.fingerprint(payload)))) return false;
  const valuesOf = ({ payloads }: Reason, grouper: Grouper): string[] => [
    ...new Set(payloads.map((payload) => grouper.fingerprint(payload).value)),
  ];
  const [old, ...more] = valuesOf(main, before);
  const moved = valuesOf(reason, after);
  return more.length === 0 && valuesOf(main, after).join() === old && moved.length === 1 && moved[0] !== old;
}
