import { FINGERPRINT_VERSION } from '../../fingerprint/grouping-settings.js';
import { firstEventOf } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { VerifyContext } from './verify-context.js';

const MAX_ISSUES_NAMED = 20;

const FIELDS: Readonly<Record<string, (issue: IssueState) => unknown>> = {
  count: (issue) => issue.count,
  sampled: (issue) => issue.sampled,
  repeated: (issue) => issue.repeated,
  removed_events: (issue) => issue.removed,
  removed_sampled: (issue) => issue.removedSampled,
  removed_repeated: (issue) => issue.removedRepeated,
  first_seen: (issue) => `${issue.firstSeenMs}.${issue.firstSeenNanos}`,
  last_seen: (issue) => `${issue.lastSeenMs}.${issue.lastSeenNanos}`,
  last_received_at: (issue) => issue.lastReceivedAtMicros,
  first_received_at: (issue) => issue.firstReceivedAtMicros,
  level: (issue) => issue.level,
  type: (issue) => issue.type,
  fingerprint: (issue) => `${issue.fingerprintVersion} ${issue.fingerprint}`,
  app: (issue) => issue.app,
  service: (issue) => issue.service,
  title: (issue) => issue.title,
  culprit: (issue) => issue.culprit,
  error_name: (issue) => issue.errorName,
  message: (issue) => issue.message,
  environments: (issue) => JSON.stringify(issue.environments),
  first_release: (issue) => issue.firstRelease,
  releases: (issue) =>
    JSON.stringify([issue.releases, issue.releasesReceivedAtMicros, issue.releasesFirstReceivedAtMicros]),
  trend: (issue) => JSON.stringify(issue.hours),
  users: (issue) => JSON.stringify(issue.users),
};

/** Fields that come from the first event of an issue. */
const DESCRIPTION: ReadonlySet<string> = new Set(['title', 'culprit', 'error_name', 'message', 'first_release']);

/** What the rules make of that event; those of an earlier version are gone, so their issues keep what they made. */
const OF_RULES: ReadonlySet<string> = new Set(['title', 'culprit']);

/** Compares the issues of an index with those of one rebuilt up to the same event, except issues whose differences were reported (`isKnown`). */
export async function compareIssues(
  context: VerifyContext,
  { loaded, rebuilt }: { loaded: IndexContent; rebuilt: IndexContent },
  isKnown: (issue: IssueState) => boolean,
): Promise<void> {
  const report = (what: string): void =>
    context.report({ code: 'INDEX_ISSUE_WRONG', file: 'index/manifest.json', what });
  let wrong = 0;
  const add = ({ issueId }: IssueState, problem: string): void => {
    wrong += 1;
    if (wrong <= MAX_ISSUES_NAMED) report(`Issue ${issueId} ${problem}.`);
  };
  for (const [index, issue] of loaded.issues.inOrder.entries()) {
    await context.nextSlice('comparing issues', index, loaded.issues.inOrder.length);
    if (isKnown(issue)) continue;
    const other = rebuilt.issues.get(issue.issueId);
    const problem =
      other === undefined
        ? `counts ${issue.count} events, and the record holds none of them`
        : await problemOf(context, loaded, { issue, other });
    if (problem !== undefined) add(issue, problem);
  }
  for (const [index, issue] of rebuilt.issues.inOrder.entries()) {
    await context.nextSlice('comparing issues', index, rebuilt.issues.inOrder.length);
    if (!isKnown(issue) && loaded.issues.get(issue.issueId) === undefined) {
      add(issue, `is missing, and the record holds ${issue.count} of its events`);
    }
  }
  if (wrong > MAX_ISSUES_NAMED) report(`And ${wrong - MAX_ISSUES_NAMED} more issues differ.`);
}

async function problemOf(
  { damagedFolders }: VerifyContext,
  loaded: IndexContent,
  { issue, other }: { issue: IssueState; other: IssueState },
): Promise<string | undefined> {
  const isOfOldRules = issue.fingerprintVersion !== FINGERPRINT_VERSION;
  const different = Object.entries(FIELDS).flatMap(([name, of]) =>
    of(issue) === of(other) || (isOfOldRules && OF_RULES.has(name)) ? [] : [name],
  );
  if (!different.some((name) => DESCRIPTION.has(name))) return difference(issue, other, different);
  // The first raw line is damaged, which was reported, so it cannot describe the issue.
  const first = await firstEventOf(loaded, issue);
  const isDamaged = first !== undefined && damagedFolders.has(first.row.partition.folder);
  return difference(issue, other, isDamaged ? different.filter((name) => !DESCRIPTION.has(name)) : different);
}

function difference(issue: IssueState, other: IssueState, different: readonly string[]): string | undefined {
  if (different.length === 0) return undefined;
  const counts = issue.count === other.count ? '' : ` (${issue.count}, and the record holds ${other.count})`;
  return `differs from the record in ${different.join(', ')}${counts}`;
}
