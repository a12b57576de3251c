import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import { markdownTable } from './markdown-text.js';
import { stateWords } from './state-words.js';
import { clockTime } from './time-words.js';

/** Issues as a Markdown table. */
export function issuesMarkdown(issues: readonly IssueSummary[]): string {
  return markdownTable(
    ['Issue', 'State', 'Level', 'Title', 'Events', 'First seen (UTC)', 'Last seen (UTC)', 'Service', 'Environments'],
    issues.map((issue) => [
      issue.issue_id.slice(0, 8),
      stateWords(issue),
      issue.level,
      issue.title,
      String(issue.count),
      clockTime(issue.first_seen, 'full'),
      clockTime(issue.last_seen, 'full'),
      `${issue.app} ${issue.service}`,
      issue.environments.join(', '),
    ]),
  );
}

/** Events as a Markdown table. */
export function eventsMarkdown(events: readonly EventSummary[]): string {
  return markdownTable(
    ['Event', 'Time (UTC)', 'Level', 'Environment', 'Release', 'Route', 'Status', 'Message', 'User'],
    events.map((event) => [
      event.event_id,
      clockTime(event.timestamp, 'full'),
      event.level,
      event.env,
      event.release ?? '',
      event.method === null ? event.route : `${event.method} ${event.route}`,
      String(event.status_code ?? ''),
      event.message,
      event.user_id ?? '',
    ]),
  );
}
