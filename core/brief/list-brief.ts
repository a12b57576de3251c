import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import { type Brief, type BriefOptions, briefBudget, composeBrief } from './brief.js';
import { countTokens } from './count-tokens.js';
import { briefLine } from './event-brief.js';
import { LINE_PREFIX } from './fenced.js';
import { neutralLine } from './fit-text.js';

type Row = IssueSummary | EventSummary;

/** The first rows of a list, as many as fit and at least one: numbered facts of the server, then the texts by the same numbers. `leftOut.rows` counts the others. @public */
export function listBrief(rows: readonly Row[], options: BriefOptions): Brief {
  let free = briefBudget(options);
  const shown: { facts: string; text: string }[] = [];
  for (const [index, row] of rows.entries()) {
    const facts = `${index + 1}. ${rowFacts(row, options.nowMs)}`;
    const text = `${index + 1}. ${rowText(row)}`;
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
  return 'title' in row
    ? `${row.issue_id} ${issueFacts(row, nowMs).join(' ')}`
    : `${row.event_id} ${row.timestamp.slice(0, 19)}Z`;
}

function rowText(row: Row): string {
  const names = [row.level, row.app, row.service, ...('env' in row ? [row.env] : row.environments.slice(0, 3))];
  const title = 'title' in row ? row.title : `${row.error_name}: ${row.message}`;
  return `${neutralLine(title)} (${neutralLine(names.filter((name) => name !== '').join(', '), 80)})`;
}

/** State, counts and times of an issue, in sentences without a word of its events. */
export function issueFacts(issue: IssueSummary, nowMs: number): string[] {
  const { count, users, removed_events: removed, first_seen: first, last_seen: last, trend } = issue;
  const marks = [issue.status, issue.regressed && 'regressed', issue.is_new && 'new', issue.spiking && 'spiking'];
  const day = trend.reduce((sum, hour) => sum + hour, 0);
  const more = [
    `${day} in the last 24h`,
    ...(users === 0 ? [] : [`${users} users`]),
    ...(removed === 0 ? [] : [`${removed} removed by retention`]),
  ];
  return [
    `State: ${marks.filter((mark) => mark !== false).join(', ')}.`,
    `Events: ${count}, ${more.join(', ')}.`,
    `First seen ${seen(first, nowMs)}, last seen ${seen(last, nowMs)}.`,
  ];
}

function seen(time: string, nowMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs - Date.parse(time)) / 60_000));
  const hours = Math.floor(minutes / 60);
  const age = minutes < 120 ? `${minutes}m` : hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
  return `${time.slice(0, 19)}Z (${age} ago)`;
}
