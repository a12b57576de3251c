import { briefMarkdown } from '../../core/brief/brief.js';
import { issueBrief } from '../../core/brief/issue-brief.js';
import type { FailureReader } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import { shortEventId } from '../../core/event/short-event-id.js';
import { cutText } from '../../core/event/text.js';
import { shownValue } from '../../core/explain/explained-line.js';
import type { EventDetail, EventHistogram, IssueDetail } from '../../generated/reader-answers.js';
import { barsLine } from '../format/event/bars-line.js';
import { printedCalls, summaryRows, withoutLoneError } from '../format/event/stack-summary.js';
import { latestWindow } from '../format/event/time-window.js';
import { issueMarkdown } from '../format/export/markdown-issue.js';
import { textOf } from '../format/issue/fit-title.js';
import { historyEntries } from '../format/issue/history-entries.js';
import { suspectText } from '../format/issue/issue-head.js';
import { issueTitle } from '../format/issue/issue-titles.js';
import { mergedNames, spikeWords, statePhrase } from '../format/issue/state-phrases.js';
import { GROUPING_PARTS } from '../screens/issue/why-lines.js';
import { fullCount } from '../text/counts.js';
import { type Line, span, words, wrapLine } from '../text/line.js';
import { ago, type Clock, clockTime } from '../text/moments.js';
import { neutralise } from '../text/visible.js';
import { findIssueId, issueNotFound } from './find-ids.js';
import { outputColumns, printLines } from './print-table.js';
import { printedLinks } from './printed-links.js';
import { chooseFormat, type DetailOptions, maxTokensOf, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssueOptions extends DetailOptions {
  /** As typed: an id or the start of one. */
  issueId: string;
}

/** Bars of 30 minutes in narrow windows, else of 15. */
const BARS = 48;

/** Prints one issue: as text, NDJSON, Markdown or a brief with its latest event, or the JSON of the reading API. Returns the exit code. */
export function runIssue(options: IssueOptions): Promise<number> {
  const { reader, env, stdout } = options;
  return runPrinting(options, async () => {
    const format = chooseFormat(options);
    const maxTokens = maxTokensOf(options);
    const issueId = await findIssueId(reader, options.issueId);
    const issue = await reader.getIssue(issueId);
    if (issue === undefined) throw issueNotFound(issueId);
    if (format === 'document') return await printJson(stdout, issue);
    if (format === 'ndjson') return await printJsonLines(stdout, [issue]);
    const latest = await latestEvent(reader, issueId);
    if (format === 'brief') {
      return await print(stdout, briefMarkdown(issueBrief(issue, latest, { maxTokens, nowMs: Date.now() })));
    }
    if (format === 'markdown') return await print(stdout, issueMarkdown(issue, latest));
    const columns = outputColumns(stdout, env);
    const bars = await lastDay(reader, issue, columns);
    const linkOf = await printedLinks(options, latest?.normalized.release ?? null);
    await printLines(stdout, env, printedIssue(issue, latest, bars, columns), linkOf);
  });
}

/** Undefined if retention removed all events. */
async function latestEvent(reader: FailureReader, issueId: IssueId): Promise<EventDetail | undefined> {
  const latest = (await reader.listEvents(issueId, { limit: 1 }))?.events[0];
  return latest && (await reader.getEvent(latest.event_id));
}

async function lastDay(
  reader: FailureReader,
  issue: IssueDetail,
  columns: number,
): Promise<EventHistogram | undefined> {
  const { from, to } = latestWindow(issue, '24h', BARS);
  const buckets = columns >= WIDE_FROM ? 2 * BARS : BARS;
  return (await reader.summarizeEvents(issue.issue_id, { from, to, buckets }))?.histogram;
}

/** Columns from which bars are longer and files have their folders. */
const WIDE_FROM = 160;
const LABEL_CELLS = 14;
const PART_CELLS = 12;
/** UTF-16 units of a value or an entry. */
const MAX_LENGTH = 1_000;

function printedIssue(
  issue: IssueDetail,
  latest: EventDetail | undefined,
  bars: EventHistogram | undefined,
  columns: number,
): Line[] {
  const clock: Clock = { nowMs: Date.now(), zone: 'utc' };
  const text = (line: string, indent = 0): Line[] => wrapLine([span(neutralise(line))], columns, indent);
  const row = ([label, value]: readonly [string, string | null]): Line[] =>
    value === null || value === ''
      ? []
      : wrapLine(
          [words(label.padEnd(LABEL_CELLS), 'label'), span(neutralise(cutText(value, MAX_LENGTH)))],
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
    ...latestLines(latest, issue, columns).flatMap((line) => wrapLine(line, columns, 2)),
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
  const { count, sampled, repeated = 0, removed_events: removed, users, releases, merged } = issue;
  const { method, route = '', status_code: status } = latest?.normalized ?? {};
  const spike = issue.status === 'open' && issue.spiking ? ` UTC (${spikeWords(issue, 'an hour')})` : '';
  const events = [
    fullCount(count),
    ...(sampled === 0 ? [] : [`${fullCount(count - sampled)} of them stored`]),
    ...(repeated === 0 ? [] : [`${fullCount(repeated)} more that repeat counted ones`]),
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
    ['First seen', seen(issue.first_seen, issue.first_release)],
    ['Last seen', seen(issue.last_seen, latest === undefined ? issue.last_release : latest.normalized.release)],
    ['Regressed in', issue.regressed_in],
    ['Level', issue.level],
    ['App, service', [issue.app, issue.service].filter((name) => name !== '').join(', ')],
    ['Environments', issue.environments.join(', ')],
    ['Releases', releases.join(', ')],
    ['Route', [`${method ?? ''} ${route}`.trim(), status].filter((part) => part != null && part !== '').join(', ')],
    ['Culprit', issue.culprit],
    ['Suspect', suspectText(issue)],
  ];
}

function latestLines(latest: EventDetail | undefined, { basis }: IssueDetail, columns: number): Line[] {
  if (latest === undefined) return [];
  const { message, timestamp } = latest.normalized;
  const calls = printedCalls(withoutLoneError(summaryRows(latest, basis)), columns >= WIDE_FROM);
  const time = clockTime(timestamp, 'full').slice(-8);
  const lines = calls.length === 0 ? [[span(neutralise(cutText(message, MAX_LENGTH)))]] : calls;
  return [
    [],
    [words(`Latest event, ${time} UTC, ${shortEventId(latest.event_id)}`)],
    ...lines.map((line) => [words('  '), ...line]),
  ];
}

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
