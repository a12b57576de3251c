import { SINCE_KINDS, type SinceKind } from '../../../core/contract/reader.js';
import type { IssueSummary, IssuesSince } from '../../../generated/reader-answers.js';
import type { IssueColumn } from '../../format/issue/issue-columns.js';
import type { IssueSource, IssuesScreen } from '../../state/issues-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun, shortCount } from '../../text/counts.js';
import { type Line, span } from '../../text/line.js';
import { momentWords } from '../../text/moments.js';
import { tabsLine } from '../../text/tabs-line.js';
import { spanWords } from '../../text/time-words.js';
import { literal, neutralise } from '../../text/visible.js';

type Since = NonNullable<IssueSource['since']>;

/** The tabs of the list "New since". */
const SINCE_LABELS: Readonly<Record<SinceKind, string>> = {
  new: 'New',
  came_back: 'Came back',
  more: 'More',
  quiet: 'Quiet',
};

/** The rows between the title bar and the list: what is compared, and the tabs. */
export function sinceLines(
  { nowMs, habits, size }: TerminalState,
  { since }: IssuesScreen,
  { range, kind }: Since,
): Line[] {
  const { name, from, before, events, previous } = range;
  const lasted = spanWords(Date.parse(from) - Date.parse(before));
  const begun = `${momentWords(from, { nowMs, zone: habits.time })}, ${spanWords(nowMs - Date.parse(from))} ago`;
  const first =
    events === undefined
      ? `Since ${begun}.`
      : `${neutralise(name)} first seen ${begun}, ${countWithNoun(events, 'event')}.`;
  const compared =
    previous === undefined
      ? `Compared with the ${lasted} before.`
      : `Before it: ${neutralise(previous)} for ${lasted}.`;
  const text = `  ${first}  ${compared}`;
  const tabs = SINCE_KINDS.map((one) => ({ name: SINCE_LABELS[one], count: since?.counts[one] }));
  return [[span(literal(text), 'muted')], tabsLine(tabs, SINCE_LABELS[kind], size.columns)];
}

/** The two columns that say how much: events and users of new issues, else the rates. */
export function sinceColumns(kind: SinceKind, since: IssuesSince | undefined): readonly IssueColumn[] {
  const rows = new Map(since?.issues.map((row) => [row.issue.issue_id, row]));
  const column = (heading: string, of: (issue: IssueSummary) => number, none = '0') => {
    return {
      heading,
      cells: 6,
      align: 'right' as const,
      text: (issue: IssueSummary) => (of(issue) === 0 ? none : shortCount(Math.round(of(issue)))),
    };
  };
  if (kind === 'new' || kind === 'came_back') {
    return [column('EVENTS', ({ count }) => count), column('USERS', ({ users }) => users, '')];
  }
  return [
    column('/HOUR', ({ issue_id }) => rows.get(issue_id)?.rate ?? 0),
    column('BEFORE', ({ issue_id }) => rows.get(issue_id)?.rate_before ?? 0),
  ];
}

/** The text of an empty tab, and the keys of those that have issues. */
export function nothingSince({ range, kind }: Since, since: IssuesSince | undefined): readonly string[] {
  const others = SINCE_KINDS.flatMap((one, index) => {
    const count = since?.counts[one] ?? 0;
    return count === 0 ? [] : [`${countWithNoun(count, 'issue')} in ${SINCE_LABELS[one]}: press ${index + 1}.`];
  });
  return [`No open issue is in ${SINCE_LABELS[kind]} since ${range.name}. w chooses another release.`, '', ...others];
}
