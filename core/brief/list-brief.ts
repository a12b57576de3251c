import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import { type Brief, type BriefOptions, briefBudget, composeBrief } from './brief.js';
import { countTokens } from './count-tokens.js';
import { briefLine } from './event-brief.js';
import { LINE_PREFIX } from './fenced.js';
import { neutralLine } from './fit-text.js';

type Row = IssueSummary | EventSummary;

/** Characters of an issue's id, which tools and commands take. */
const SHORT_ID = 8;

/** The first rows of a list, as many as fit and at least one: numbered facts of the server, then the texts by the same numbers. `leftOut.rows` counts the others. @public */
export function listBrief(rows: readonly Row[], options: BriefOptions): Brief {
  let free = briefBudget(options);
  const shown: { facts: string; text: string }[] = [];
  for (const [index, row] of rows.entries()) {
    const facts = `${index + 1} ${rowFacts(row, options.nowMs)}`;
    const text = `${index + 1} ${rowText(row)}`;
    free -= countTokens(`${facts}\n${LINE_PREFIX}${text}\n`);
    if (free < 0 && index > 0) break;
    shown.push({ facts, text });
  }
  const sections = [
    { name: 'rows', part: 0, lines: shown.map(({ facts }) => briefLine(facts)), more: rows.length - shown.length },
    { name: 'texts', part: 1, lines: shown.map(({ text }) => briefLine(text)) },
  ];
  return composeBrief({ parts: [{ from: 'server' }, { from: 'event' }], sections, next: '' }, options);
}

function rowFacts(row: Row, nowMs: number): string {
  if (!('title' in row)) return `${row.event_id} ${row.timestamp.slice(0, 19)}Z`;
  const { issue_id: id, count, users, last_seen: last } = row;
  const counts = [`${count} events`, ...(users === 0 ? [] : [`${users} users`])];
  return `${id.slice(0, SHORT_ID)} ${stateWords(row)}, ${counts.join(', ')}, ${age(last, nowMs)} ago`;
}

function rowText(row: Row): string {
  const level = row.level === 'error' ? '' : row.level;
  const names = [level, row.service || row.app, ...('env' in row ? [row.env] : [])];
  const title = 'title' in row ? row.title : `${row.error_name}: ${row.message}`;
  return `${neutralLine(title, 100)} (${neutralLine(names.filter((name) => name !== '').join(', '), 60)})`;
}

/** State, counts and times of an issue, in sentences without a word of its events. */
export function issueFacts(issue: IssueSummary, nowMs: number): string[] {
  const { count, users, removed_events: removed, first_seen: first, last_seen: last } = issue;
  const more = [
    `${lastDay(issue)} in the last 24h`,
    ...(users === 0 ? [] : [`${users} users`]),
    ...(removed === 0 ? [] : [`${removed} removed by retention`]),
  ];
  const seen = (time: string): string => `${time.slice(0, 19)}Z (${age(time, nowMs)} ago)`;
  return [
    `State: ${stateWords(issue)}.`,
    `Events: ${count}, ${more.join(', ')}.`,
    `First seen ${seen(first)}, last seen ${seen(last)}.`,
  ];
}

function stateWords({ status, regressed, is_new: isNew, spiking }: IssueSummary): string {
  const marks = [status, regressed && 'regressed', isNew && 'new', spiking && 'spiking'];
  return marks.filter((mark) => mark !== false).join(', ');
}

function lastDay({ trend }: IssueSummary): number {
  return trend.reduce((sum, hour) => sum + hour, 0);
}

function age(time: string, nowMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs - Date.parse(time)) / 60_000));
  const hours = Math.floor(minutes / 60);
  return minutes < 120 ? `${minutes}m` : hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
