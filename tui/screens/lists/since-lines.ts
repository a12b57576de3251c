import { SINCE_KINDS, type SinceKind } from '../../../core/contract/reader.js';
import type { IssueSummary, IssuesSince, Releases } from '../../../generated/reader-answers.js';
import type { IssueColumn } from '../../format/issue/issue-columns.js';
import { openMenu } from '../../overlays/menu.js';
import type { IssueSource, IssuesScreen } from '../../state/issues-state.js';
import type { MenuItem } from '../../state/overlay.js';
import { rangeFrom, rangeOfRelease, type SinceRange } from '../../state/since-range.js';
import { type TerminalState, withEffect } from '../../state/terminal-state.js';
import { countWithNoun, fullCount, shortCount } from '../../text/counts.js';
import { type Line, span } from '../../text/line.js';
import { ago, momentWords, spanWords, zoneWord } from '../../text/moments.js';
import { tabsLine } from '../../text/tabs-line.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { withSource } from './list-changes.js';

type Since = NonNullable<IssueSource['since']>;

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

const MAX_RELEASES = 9;
const NAME_CELLS = 30;
const DAY_MS = 86_400_000;

/** Reads the latest releases and opens the menu of instants. */
export function askSince(state: TerminalState): TerminalState {
  return withEffect(state, {
    perform: async ({ reader }) => {
      const { releases } = await reader.listReleases({ limit: MAX_RELEASES + 1 });
      return (now) => (now.overlay === undefined ? { ...now, overlay: sinceMenu(now, releases) } : now);
    },
  });
}

function sinceMenu(state: TerminalState, releases: Releases['releases']) {
  const { nowMs, habits, memory } = state;
  const seen = releases.flatMap(({ first_seen, ...one }) => (first_seen === null ? [] : [{ ...one, first_seen }]));
  const listed = seen.slice(0, MAX_RELEASES);
  const names = listed.map(({ name }) => cutToCells(name, NAME_CELLS));
  const cells = Math.max(...names.map(({ length }) => length), '1 day'.length) + 3;
  const item = (key: string, label: string, range: SinceRange | undefined): MenuItem<TerminalState> => ({
    key,
    label,
    run: (now) => withSource(now, { since: range && { range, kind: 'new' } }),
  });
  const items = listed.map(({ name, first_seen, events }, index) => {
    const age = `${spanWords(nowMs - Date.parse(first_seen))} ago`;
    const label = `${names[index]?.padEnd(cells)}${age.padEnd(11)}${fullCount(events).padStart(5)} events`;
    return item(String(index + 1), label, rangeOfRelease(releases, name, nowMs));
  });
  const day = rangeFrom('1 day ago', nowMs - DAY_MS, nowMs);
  const moment = `since ${momentWords(day.from, { nowMs, zone: habits.time })} ${zoneWord(habits.time)}`;
  items.push(item('d', `${'1 day'.padEnd(cells)}${moment}`, day));
  const visits = [...memory.places.values()].map(({ saved_at_ms = 0 }) => saved_at_ms);
  const visitMs = Math.max(0, ...visits);
  const visit = rangeFrom('my last visit', visitMs, nowMs);
  if (visitMs > 0) items.push(item('l', `my last visit, ${ago(visit.from, nowMs)}`, visit));
  return openMenu('New since…', items);
}
