import { shortEventId } from '../../core/event/short-event-id.js';
import { shownValue } from '../../core/explain/explained-line.js';
import type { EventDetail, EventHistogram, IssueDetail } from '../../generated/reader-answers.js';
import { barsLine } from '../format/event/bars-line.js';
import { stackTexts, summaryRows, withoutLoneError } from '../format/event/stack-summary.js';
import { textOf } from '../format/issue/fit-title.js';
import { historyEntries } from '../format/issue/history-entries.js';
import { issueTitle } from '../format/issue/issue-titles.js';
import { mergedNames, spikeWords, statePhrase } from '../format/issue/state-phrases.js';
import { GROUPING_PARTS } from '../screens/issue/why-lines.js';
import { fullCount } from '../text/counts.js';
import { type Line, span, words } from '../text/line.js';
import type { Clock } from '../text/moments.js';
import { ago, clockTime } from '../text/time-words.js';
import { neutralise } from '../text/visible.js';
import { wrapLine } from '../text/wrapped-line.js';

/** What is printed of an issue. */
export interface PrintedIssue {
  readonly issue: IssueDetail;
  /** Undefined if retention removed all events. */
  readonly latest: EventDetail | undefined;
  /** The last 24 hours. */
  readonly bars: EventHistogram | undefined;
}

/** Columns from which bars are longer and files have their folders. */
export const WIDE_FROM = 160;
const LABEL_CELLS = 14;
const PART_CELLS = 12;
/** UTF-16 units of a value or an entry. */
const MAX_LENGTH = 1_000;

/** One issue as lines at most `columns` wide: fields, latest event, grouping, history. */
export function printedIssue({ issue, latest, bars }: PrintedIssue, columns: number, nowMs: number): Line[] {
  const clock: Clock = { nowMs, zone: 'utc' };
  const text = (line: string, indent = 0): Line[] => wrapLine([span(neutralise(line))], columns, indent);
  const row = ([label, value]: readonly [string, string | null]): Line[] =>
    value === null || value === ''
      ? []
      : wrapLine(
          [words(label.padEnd(LABEL_CELLS), 'label'), span(neutralise(value.slice(0, MAX_LENGTH)))],
          columns,
          LABEL_CELLS,
        );
  const look = { label: '', clock, cells: columns - LABEL_CELLS, isForScreenReader: false };
  const shortId = issue.issue_id.slice(0, 8);
  return [
    ...wrapLine([span(textOf(issueTitle(issue).whole), 'strong')], columns),
    ...text(`Issue ${issue.issue_id}`),
    [],
    ...fieldsOf(issue, latest, clock).flatMap(row),
    ...(bars === undefined ? [] : [[words('Last 24h'.padEnd(LABEL_CELLS), 'label'), ...barsLine(bars, look).slice(1)]]),
    ...latestLines(latest, issue, columns).flatMap((line) => text(line, 2)),
    [],
    ...groupingLines(issue).flatMap((line) => text(line, 2 + PART_CELLS)),
    [],
    [words('History')],
    ...historyEntries(issue, clock).flatMap(({ at, actor, text: what, undone }) => {
      const said = actor === null ? what.split(': ', 1)[0] : what;
      return text(`  ${clockTime(at, 'full')}  ${said}${undone === undefined ? '' : ` (${undone})`}`, 23);
    }),
    [],
    ...text(`faultline events ${shortId} lists the events, faultline browse ${shortId} opens it.`),
  ];
}

function fieldsOf(issue: IssueDetail, latest: EventDetail | undefined, clock: Clock): [string, string | null][] {
  const { count, sampled, removed_events: removed, users, releases, merged } = issue;
  const { method, route = '', status_code: status } = latest?.normalized ?? {};
  const spike = issue.status === 'open' && issue.spiking ? ` UTC (${spikeWords(issue, 'an hour')})` : '';
  const events = [
    fullCount(count),
    ...(sampled === 0 ? [] : [`${fullCount(count - sampled)} of them stored`]),
    ...(users === 0 ? [] : [`of ${fullCount(users)} user${users === 1 ? '' : 's'}`]),
    ...(removed === 0 ? [] : [`${fullCount(removed)} more removed by retention`]),
  ];
  const seen = (at: string, release: string | null | undefined): string =>
    `${clockTime(at, 'full')} UTC (${ago(at, clock.nowMs)})${release == null ? '' : ` in ${release}`}`;
  return [
    ['State', statePhrase(issue, issue, clock) + spike],
    ['Assignee', issue.assignee ?? 'nobody'],
    ['Merged', merged.length === 0 ? null : mergedNames(issue, issue)],
    ['Events', events.join(', ')],
    ['First seen', seen(issue.first_seen, releases[0])],
    ['Last seen', seen(issue.last_seen, latest?.normalized.release)],
    ['Level', issue.level],
    ['App, service', [issue.app, issue.service].filter((name) => name !== '').join(', ')],
    ['Environments', issue.environments.join(', ')],
    ['Releases', releases.join(', ')],
    ['Route', [`${method ?? ''} ${route}`.trim(), status].filter((part) => part != null && part !== '').join(', ')],
    ['Culprit', issue.culprit],
  ];
}

/** The time and the stack of the latest event, its message without a stack. */
function latestLines(latest: EventDetail | undefined, { basis }: IssueDetail, columns: number): string[] {
  if (latest === undefined) return [];
  const { stack, message, timestamp } = latest.normalized;
  const calls = stackTexts(withoutLoneError(summaryRows(stack, basis)), columns >= WIDE_FROM);
  const time = clockTime(timestamp, 'full').slice(-8);
  const lines = calls.length === 0 ? [message.slice(0, MAX_LENGTH)] : calls;
  return ['', `Latest event, ${time} UTC, ${shortEventId(latest.event_id)}`, ...lines.map((line) => `  ${line}`)];
}

/** The parts that group the events, then those that do not. */
function groupingLines({ basis, fingerprint, fingerprint_version: version }: IssueDetail): string[] {
  const parts = basis.parts.map((part) => ({
    ...part,
    name: GROUPING_PARTS.find((one) => one.part === part.part)?.name ?? part.part,
    text: part.value === null ? null : shownValue(part.value),
  }));
  return [
    'One issue because of',
    ...parts.filter(({ used }) => used).map(({ name, text }) => `  ${name.padEnd(PART_CELLS)}${text}`),
    ...parts
      .filter(({ used, text }) => !used && text !== null)
      .map(({ name, reason }) => `  The ${name} does not count: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`),
    `  Fingerprint ${fingerprint}, rules version ${version}`,
  ];
}
