import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { Column } from '../../text/columns.js';
import { shortCount } from '../../text/counts.js';
import { LEVEL_CELLS } from '../../text/line.js';
import { relativeTime } from '../../text/time-words.js';
import { shapeOfIssues } from './issue-list-shape.js';
import { fitTitles } from './issue-titles.js';
import { stateWords } from './state-words.js';

const NONE = '-';
const STATE_CELLS = 28;

/** The columns of a printed table of issues, without signs and bars; what is the same in all rows is left out. */
export function printedIssueColumns(issues: readonly IssueSummary[], nowMs: number): readonly Column<IssueSummary>[] {
  const shape = shapeOfIssues(issues);
  const states = issues.map((issue) => stateWords(issue, nowMs).length);
  const right = 'right' as const;
  const columns: (Column<IssueSummary> | false)[] = [
    { heading: 'ID', cells: 8, text: ({ issue_id: id }) => id.slice(0, 8) },
    { heading: 'LEVEL', cells: 5, ...LEVEL_CELLS },
    { heading: 'ISSUE', cells: 'rest', lines: fitTitles },
    { heading: 'EVENTS', cells: 6, align: right, text: ({ count }) => shortCount(count) },
    shape.hasUsers && {
      heading: 'USERS',
      cells: 5,
      from: 120,
      align: right,
      text: ({ users }) => (users === 0 ? NONE : shortCount(users)),
    },
    { heading: 'SEEN', cells: 4, align: right, text: ({ last_seen }) => relativeTime(last_seen, nowMs) },
    { heading: 'AGE', cells: 4, from: 120, align: right, text: ({ first_seen }) => relativeTime(first_seen, nowMs) },
    shape.service > 0 && {
      heading: 'SERVICE',
      cells: Math.max('SERVICE'.length, shape.service),
      from: 100,
      text: ({ service }) => service,
    },
    shape.owner > 0 && {
      heading: 'OWNER',
      cells: Math.max('OWNER'.length, shape.owner),
      from: 140,
      text: ({ assignee }) => assignee ?? NONE,
    },
    shape.hasEnvironments && {
      heading: 'ENV',
      cells: 10,
      from: 140,
      text: ({ environments: [first = NONE] }) => first,
    },
    {
      heading: 'STATE',
      cells: Math.min(STATE_CELLS, Math.max('STATE'.length, ...states)),
      text: (issue) => stateWords(issue, nowMs),
    },
  ];
  return columns.filter((column) => column !== false);
}
