import { cutText } from '../../../core/event/text.js';
import type { EventSummary, IssueHistoryEntry, IssueSummary } from '../../../generated/reader-answers.js';
import { BARS_FROM, barsLine, eventTimes } from '../../format/event/bars-line.js';
import { beside, facetSummary, MIN_LABEL_CELLS } from '../../format/event/facet-lines.js';
import { stackSummary, withoutLoneError } from '../../format/event/stack-summary.js';
import { textOf } from '../../format/issue/fit-title.js';
import { placeLine, seenLine, seenLines } from '../../format/issue/issue-head.js';
import { issueTitle } from '../../format/issue/issue-titles.js';
import { stateSentences } from '../../format/issue/state-phrases.js';
import type { IssuePreview, IssuesScreen } from '../../state/issues-state.js';
import { selectedRow } from '../../state/paged-list.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { keyLabel } from '../../terminal/keymap.js';
import { cutLine, type Line, lineCells, ruleLine, span, words, wrapLine } from '../../text/line.js';
import { type Clock, columnTime, dayWords, timeOfDay, zoneWord } from '../../text/moments.js';
import { cutToCells, literal, neutralise, type Visible } from '../../text/visible.js';
import { previewOf } from './preview-reads.js';

/** Columns of the window from which facets stand beside the text, and from which the text has more lines. */
const FACETS_FROM = 110;
const WIDE_FROM = 140;
/** Cells of the text with its margin, at most and as a share of the window. */
const MAX_TEXT_CELLS = 101;
const TEXT_SHARE = 0.645;
/** Blank lines separate the parts from this number of rows on. */
const AIRY_FROM = 12;
const MAX_TITLE_ROWS = 3;
/** UTF-16 units of a comment. */
const MAX_COMMENT = 2_000;

/** The preview of the selected issue: a rule with its id, then its text, and in wide windows its facets beside it. */
export function previewLines(state: TerminalState, screen: IssuesScreen, rows: number): readonly Line[] {
  const { columns } = state.size;
  const issue = selectedRow(screen.list);
  if (issue === undefined) return [];
  const preview = previewOf(screen);
  const rule = previewRule(state, neutralise(issue.issue_id.slice(0, 8)));
  const hasFacets = columns >= FACETS_FROM && !state.habits.isForScreenReader;
  const leftCells = hasFacets ? Math.min(MAX_TEXT_CELLS, Math.floor(columns * TEXT_SHARE)) : columns;
  const textCells = leftCells - 3;
  const isAiry = rows - 1 >= AIRY_FROM;
  const textRows = rows - 1 - (isAiry ? 1 : 0);
  const parts = textParts(state, issue, preview, textCells);
  const text = fill(parts, textRows, isAiry).map((line): Line => [words('  '), ...cutLine(line, textCells)]);
  if (!hasFacets) return [rule, ...text];
  const facets = facetColumn(state, preview, { cells: columns - leftCells - 2, rows: textRows });
  if (facets.length === 0) return [rule, ...text];
  return [rule, ...beside(text, facets, { leftCells, rows: textRows })];
}

/** The rule above a preview. */
export function previewRule({ keymap, size }: TerminalState, name: Visible): Line {
  const key = keymap.find(({ command }) => command === 'preview')?.keys[0];
  return ruleLine(name, key === undefined ? '' : `${keyLabel(key)} hides`, size.columns);
}

interface Part {
  readonly lines: readonly Line[];
  /** With fewer rows it is left out. */
  readonly least: number;
}

/** As many parts as have room, in their order. */
function fill(parts: readonly Part[], rows: number, isAiry: boolean): Line[] {
  const filled: Line[] = [];
  for (const { lines, least } of parts) {
    const gap = isAiry && filled.length > 0 ? [[]] : [];
    const room = rows - filled.length - gap.length;
    if (lines.length > 0 && room >= least) filled.push(...gap, ...lines.slice(0, room));
  }
  return filled;
}

function textParts(
  state: TerminalState,
  issue: IssueSummary,
  preview: IssuePreview | undefined,
  cells: number,
): Part[] {
  const clock: Clock = { nowMs: state.nowMs, zone: state.habits.time };
  const isWide = state.size.columns >= WIDE_FROM;
  const latest = preview?.latest ?? [];
  const title = wrapLine([span(cutToCells(textOf(issueTitle(issue).whole), MAX_TITLE_ROWS * cells), 'strong')], cells);
  const head = [
    ...title.slice(0, MAX_TITLE_ROWS),
    placeLine(issue, latest[0], isWide),
    ...sentenceLines(stateSentences(issue, preview?.detail, clock), cells),
    ...(isWide ? [seenLine(issue, latest[0], clock)] : []),
  ];
  if (preview === undefined) return [part(head), part([[words('Loading…', 'muted')]])];
  if (preview.detail === undefined) return [part(head), part([[words('This issue is gone.', 'muted')]])];
  return [
    part(head),
    part(timesOrBars(preview, state, cells)),
    part(stackPart(preview, { cells, clock, isWide }), 2),
    part(commentPart(preview.detail.history, cells, clock)),
    part(eventsPart(latest, cells, clock), 3),
  ];
}

function part(lines: readonly Line[], least = 1): Part {
  return { lines, least };
}

/** Sentences on as few rows as hold whole ones; a longer one is wrapped. */
function sentenceLines(sentences: readonly string[], cells: number): Line[] {
  const rows: Line[] = [];
  for (const sentence of sentences) {
    const text = span(cutToCells(sentence, 4 * cells));
    const last = rows.at(-1);
    if (last !== undefined && lineCells(last) + 1 + lineCells([text]) <= cells)
      rows[rows.length - 1] = [...last, words(' '), text];
    else rows.push(...wrapLine([text], cells));
  }
  return rows;
}

function timesOrBars({ issue, latest, bars }: IssuePreview, { habits, nowMs }: TerminalState, cells: number): Line[] {
  const clock: Clock = { nowMs, zone: habits.time };
  if (issue.count < BARS_FROM) return latest.length === 0 ? [] : wrapLine(eventTimes(latest, clock), cells);
  return bars === undefined
    ? []
    : [barsLine(bars, { label: '24h', clock, cells, isForScreenReader: habits.isForScreenReader })];
}

function stackPart(
  { stack, latest }: IssuePreview,
  { cells, clock, isWide }: { cells: number; clock: Clock; isWide: boolean },
): Line[] {
  const [newest] = latest;
  if (newest === undefined || stack.length === 0) return [];
  const shown = isWide ? stack : withoutLoneError(stack);
  const heading = [
    words('Stack of the latest event, ', 'muted'),
    span(columnTime(newest.timestamp, clock), 'muted'),
    words(` ${zoneWord(clock.zone)}`, 'muted'),
  ];
  return [heading, ...stackSummary(shown, cells)];
}

function commentPart(history: readonly IssueHistoryEntry[], cells: number, clock: Clock): Line[] {
  const comment = history.findLast(({ action, undone }) => action === 'comment' && !undone);
  if (comment?.detail == null) return [];
  const who = comment.actor === null ? '' : `${comment.actor}, `;
  const day = dayWords(comment.at, clock);
  const time = `${day === 'today' ? '' : `${day} `}${timeOfDay(comment.at, clock).slice(0, 5)}`;
  const text: Visible = neutralise(`${who}${time}: ${cutText(comment.detail, MAX_COMMENT)}`);
  return wrapLine([words('Last comment, ', 'muted'), span(text)], cells);
}

function eventsPart(latest: readonly EventSummary[], cells: number, clock: Clock): Line[] {
  const lines = latest.map(({ timestamp, message }): Line => {
    const time = columnTime(timestamp, clock);
    return [span(literal(time.padEnd(12)), 'muted'), words(' '), span(cutToCells(message, Math.max(1, cells - 13)))];
  });
  return lines.length === 0 ? [] : [[words(`Latest events, ${zoneWord(clock.zone)}`, 'muted')], ...lines];
}

function facetColumn(
  { nowMs, habits, size }: TerminalState,
  preview: IssuePreview | undefined,
  { cells, rows }: { cells: number; rows: number },
): Line[] {
  if (preview?.values === undefined) return [];
  const { issue, values, latest } = preview;
  const clock: Clock = { nowMs, zone: habits.time };
  const seen = size.columns >= WIDE_FROM ? [] : [[], ...seenLines(issue, latest[0], clock, MIN_LABEL_CELLS)];
  return [...facetSummary(issue, values, { cells, rows: rows - seen.length, hasBars: true }), ...seen];
}
