import type { Suggestion } from '../../generated/reader-answers.js';
import type { IssueId } from '../event/ids.js';
import type { RawPayload } from '../event/raw-payload.js';
import { grouperWith } from '../explain/try-candidates.js';
import { createGrouper, type Grouper } from '../fingerprint/grouper.js';
import type { GroupingSettings } from '../fingerprint/grouping-settings.js';
import { beginTimeSlice } from '../time-slice.js';
import { type ComparedIssue, findCandidates, MIN_VALUES } from './find-candidates.js';
import { findSeparations } from './find-separations.js';
import { likelyOnes } from './is-likely-one.js';
import { isDecided, suggestionOf } from './suggest-rule.js';

const MAX_LISTED = 50;
/** Each try reads an event of each listed issue. */
const MAX_TRIED = 200;

/** Returns the suggestions about issues, most events first, with verified rules. `payloadsOf` reads at most `count` events of an issue. */
export async function listSuggestions(
  issues: readonly ComparedIssue[],
  settings: GroupingSettings,
  payloadsOf: (issueId: IssueId, count: number) => Promise<readonly RawPayload[]>,
  isWanted: (suggestion: Suggestion) => boolean,
): Promise<Suggestion[]> {
  const slice = beginTimeSlice();
  const found = new Map<string, Suggestion>();
  for (const candidate of await likelyOnes(await findCandidates(issues), issues)) {
    if (slice.isOver) await slice.next();
    const suggestion = suggestionOf(candidate);
    if (!found.has(suggestion.id) && isWanted(suggestion)) found.set(suggestion.id, suggestion);
  }
  const before = createGrouper(settings);
  const listed: Suggestion[] = [];
  const sorted = [...found.values()].sort((one, other) => other.events_total - one.events_total);
  for (const suggestion of sorted.slice(0, MAX_TRIED)) {
    if (listed.length === MAX_LISTED) break;
    const after = grouperWith(suggestion.rule, 'last', settings);
    const payloads = await Promise.all(suggestion.issue_ids.map((issueId) => payloadsOf(issueId, 1)));
    if (after !== undefined && joins(payloads.flat(), before, after)) listed.push(suggestion);
  }
  for (const suggestion of await findSeparations(issues, settings, payloadsOf))
    if (isWanted(suggestion)) listed.push(suggestion);
  return listed.sort((one, other) => other.events_total - one.events_total).slice(0, MAX_LISTED);
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
