import type { IssueSummary } from '../../../generated/reader-answers.js';
import { histogramLines, histogramWords } from '../../format/event/histogram-view.js';
import { stateWords } from '../../format/issue/state-words.js';
import { ISSUE_PANES, type IssuePane, type IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { ASCII_SIGNS, type Signs, UNICODE_SIGNS } from '../../text/characters.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, levelMeaning, type Meaning, type Span, span, spread, words } from '../../text/line.js';
import { tabsLine } from '../../text/tabs-line.js';
import { ago, betweenWords, clockTime, durationWords, type Zone, zoneWord } from '../../text/time-words.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { barCells, type IssueLayout } from './issue-layout.js';
import { effectiveQuery } from './time-range.js';

const MARGIN = words(' ');

/** The rows between the title bar and the pane. */
export function headerLines(state: TerminalState, screen: IssueScreen, layout: IssueLayout): readonly Line[] {
  const { issue } = screen;
  const clock = { nowMs: state.nowMs, zone: state.habits.time };
  return [
    ...(layout.hasTitle ? [titleLine(issue)] : []),
    ...(layout.hasNumbers ? [numbersLine(issue, clock)] : []),
    ...(layout.hasPlace ? [whereLine(issue)] : []),
    ...histogramRowsOf(state, screen, layout),
    ...(layout.hasTabs ? [tabsOf(screen, state.size.columns)] : []),
    ...(layout.hasFilter ? [filterLine(state, screen)] : []),
  ];
}

/** The signs that the terminal can show. */
export function signsOf({ habits }: TerminalState): Signs {
  return habits.characters === 'ascii' ? ASCII_SIGNS : UNICODE_SIGNS;
}

/** The histogram; empty rows of the same number before it is loaded. */
function histogramRowsOf(
  state: TerminalState,
  { summary, range }: IssueScreen,
  { histogramRows }: IssueLayout,
): Line[] {
  if (histogramRows === 0) return [];
  const { time: zone, isForScreenReader } = state.habits;
  const histogram = summary?.summary.histogram;
  if (isForScreenReader) {
    const texts = histogram === undefined ? [] : histogramWords(histogram, zone);
    return Array.from({ length: histogramRows }, (_, index) => [MARGIN, ...(texts[index] ?? [])]);
  }
  const rows = histogramRows + 1 + (range === undefined ? 0 : 1);
  const view = { cells: barCells(state), rows: histogramRows, signs: signsOf(state), zone, range };
  const lines = histogram === undefined ? [] : histogramLines(histogram, view);
  return Array.from({ length: rows }, (_, index) => [MARGIN, ...(lines[index] ?? [])]);
}

function tabsOf(screen: IssueScreen, columns: number): Line {
  const counts = paneCounts(screen);
  return tabsLine(
    ISSUE_PANES.map((name) => ({ name, count: counts[name] })),
    screen.pane,
    columns,
  );
}

function paneCounts({ issue, detail, related }: IssueScreen): Partial<Record<IssuePane, number>> {
  const relatedCount = related?.length ?? detail?.related.length;
  return {
    events: issue.count,
    ...(detail !== undefined && { history: detail.history.length }),
    ...(relatedCount !== undefined && { related: relatedCount }),
  };
}

/** The range and the filter; on the right, whether events are loading. */
function filterLine(state: TerminalState, screen: IssueScreen): Line {
  const { query, range, shownQuery } = screen;
  const filters: Span[] = [
    ...(range === undefined ? [] : rangeWords(range, state.habits.time)),
    ...(query === '' ? [] : [words('Filter: ', 'label'), span(neutralise(query))]),
  ];
  const isLoading = shownQuery !== undefined && shownQuery !== effectiveQuery(screen);
  return spread(
    [MARGIN, ...filters],
    [...(isLoading ? [words('  loading…', 'muted')] : []), MARGIN],
    state.size.columns,
  );
}

function rangeWords({ from, to }: { from: string; to: string }, zone: 'utc' | 'local'): Span[] {
  const length = Date.parse(to) - Date.parse(from);
  return [
    words('Only ', 'label'),
    span(betweenWords(from, to, zone)),
    words(` ${zoneWord(zone)}, `, 'muted'),
    span(durationWords(length)),
    words('  '),
  ];
}

const DOT = words(' · ', 'muted');
/** Listed names of releases and environments; the rest is counted. */
const MAX_NAMES = 3;
/** Bounds, so that a long level or name does not push the rest off the line. */
const LEVEL_CELLS = 12;
const NAME_CELLS = 32;

/** Level and title, in the colour of the level. */
function titleLine({ title, level }: IssueSummary): Line {
  return [
    MARGIN,
    span(cutToCells(level, LEVEL_CELLS), levelMeaning(level)),
    words(' '),
    span(neutralise(title), 'strong'),
  ];
}

/** Events (and how many of them are stored, after sampling), users, first and last seen. */
function numbersLine(issue: IssueSummary, { nowMs, zone }: { nowMs: number; zone: Zone }): Line {
  const { count, sampled, removed_events: removed, users, first_seen, last_seen } = issue;
  const gone: Line = removed === 0 ? [] : [words(' and '), span(fullCount(removed)), words(' removed')];
  return [
    MARGIN,
    ...joined([
      [span(countWithNoun(count, 'event')), ...gone],
      sampled === 0 ? [] : [span(fullCount(count - sampled)), words(' stored')],
      users === 0 ? [] : [span(countWithNoun(users, 'user'))],
      [words('first ', 'muted'), span(clockTime(first_seen, 'full', zone))],
      [words('last ', 'muted'), span(ago(last_seen, nowMs))],
    ]),
  ];
}

/** State, assignee, app and service, environments, releases, culprit. */
function whereLine(issue: IssueSummary): Line {
  const { app, service, environments, releases, culprit, assignee, merged } = issue;
  return [
    MARGIN,
    ...joined([
      [span(cutToCells(stateWords(issue), NAME_CELLS), stateMeaning(issue))],
      assignee === null ? [] : [words('for ', 'muted'), span(cutToCells(assignee, NAME_CELLS))],
      [span(cutToCells(`${app}/${service}`, NAME_CELLS))],
      named(environments),
      named(releases.toReversed()),
      merged.length === 0 ? [] : [span(literal(`${merged.length} merged`))],
      culprit === null ? [] : [span(neutralise(culprit), 'muted')],
    ]),
  ];
}

function stateMeaning({ status, regressed, is_new, spiking }: IssueSummary): Meaning {
  if (status !== 'open') return status === 'resolved' ? 'good' : 'muted';
  return regressed || spiking ? 'warning' : is_new ? 'info' : 'plain';
}

function named(names: readonly string[]): Line {
  const others = names.length - MAX_NAMES;
  const shown = span(cutToCells(names.slice(0, MAX_NAMES).join(', '), NAME_CELLS));
  if (names.length === 0) return [];
  return others > 0 ? [shown, words(` and ${others} more`, 'muted')] : [shown];
}

function joined(items: readonly Line[]): Span[] {
  return items.filter((item) => item.length > 0).flatMap((item, index) => (index === 0 ? [...item] : [DOT, ...item]));
}
