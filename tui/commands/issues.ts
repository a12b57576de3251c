import type { IssueSort } from '../../core/contract/reader.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { shapeOfIssues } from '../format/issue/issue-list-shape.js';
import { fitTitles } from '../format/issue/issue-titles.js';
import { stateWords } from '../format/issue/state-words.js';
import type { Column } from '../text/columns.js';
import { countWithNoun, shortCount } from '../text/counts.js';
import { LEVEL_CELLS } from '../text/line.js';
import { relativeTime } from '../text/moments.js';
import { collectPages } from './collect-pages.js';
import { withSince } from './find-since.js';
import { moreWords, printTable } from './print-table.js';
import { chooseFormat, type FormattedOptions, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssuesOptions extends FormattedOptions {
  /** Default: all issues. */
  query?: string | undefined;
  /** Only issues seen since a duration, a date or a release. */
  since?: string | undefined;
  sort: IssueSort;
  /** At least 1. */
  limit: number;
}

/** Prints issues as a table, NDJSON, or the JSON of the reading API. Returns the exit code. */
export function runIssues(options: IssuesOptions): Promise<number> {
  const { reader, sort, limit, env, stdout, stderr } = options;
  return runPrinting(options, async () => {
    const format = chooseFormat(options);
    const query = await withSince(reader, options, 'last_seen');
    let total = 0;
    const { rows, nextCursor } = await collectPages<IssueSummary>(limit, async (range) => {
      const page = await reader.listIssues({ ...range, sort, query });
      total = page.total;
      return { rows: page.issues, nextCursor: page.next_cursor };
    });
    if (format === 'document') await printJson(stdout, { issues: rows, next_cursor: nextCursor, total });
    else if (format === 'ndjson') await printJsonLines(stdout, rows);
    else {
      await printTable(stdout, env, printedIssueColumns(rows, Date.now()), rows);
      if (rows.length < total) await print(stderr, moreWords(rows.length, `of ${countWithNoun(total, 'issue')}`));
    }
  });
}

const NONE = '-';
const STATE_CELLS = 28;

/** The columns of a printed table of issues, without signs and bars; what is the same in all rows is left out. */
function printedIssueColumns(issues: readonly IssueSummary[], nowMs: number): readonly Column<IssueSummary>[] {
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
    shape.hasReleases && {
      heading: 'FIRST IN',
      cells: 12,
      from: 160,
      text: ({ first_release }) => first_release ?? NONE,
    },
    shape.hasReleases && { heading: 'LAST IN', cells: 12, from: 160, text: ({ last_release }) => last_release ?? NONE },
    issues.some(({ regressed_in: release }) => release !== null) && {
      heading: 'REGRESSED IN',
      cells: 12,
      from: 160,
      text: ({ regressed_in: release }) => release ?? NONE,
    },
    {
      heading: 'STATE',
      cells: Math.min(STATE_CELLS, Math.max('STATE'.length, ...states)),
      text: (issue) => stateWords(issue, nowMs),
    },
  ];
  return columns.filter((column) => column !== false);
}
