import type { IssueSort } from '../../core/contract/reader.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { shapeOfIssues } from '../format/issue/issue-list-shape.js';
import { fitTitles } from '../format/issue/issue-titles.js';
import { stateWords } from '../format/issue/state-words.js';
import type { Column } from '../text/columns.js';
import { countWithNoun, shortCount } from '../text/counts.js';
import { LEVEL_CELLS } from '../text/line.js';
import { relativeTime } from '../text/moments.js';
import { withSince } from './find-since.js';
import { moreWords, printTable } from './print-table.js';
import { chooseFormat, collectPages, type FormattedOptions, runPrinting } from './printing-command.js';
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
  /** A column of tables from a width on; none if it has no cells. */
  const column = (heading: string, longest: number, from: number, text: (issue: IssueSummary) => string | null) =>
    longest === 0
      ? []
      : [
          {
            heading,
            cells: Math.max(heading.length, longest),
            from,
            text: (issue: IssueSummary) => text(issue) ?? NONE,
          },
        ];
  const hasRegressed = issues.some(({ regressed_in: release }) => release !== null);
  return [
    { heading: 'ID', cells: 8, text: ({ issue_id: id }) => id.slice(0, 8) },
    { heading: 'LEVEL', cells: 5, ...LEVEL_CELLS },
    { heading: 'ISSUE', cells: 'rest', lines: fitTitles },
    { heading: 'EVENTS', cells: 6, align: right, text: ({ count }) => shortCount(count) },
    ...column('USERS', shape.hasUsers ? 5 : 0, 120, ({ users }) => (users === 0 ? null : shortCount(users))).map(
      (users) => ({ ...users, align: right }),
    ),
    { heading: 'SEEN', cells: 4, align: right, text: ({ last_seen }) => relativeTime(last_seen, nowMs) },
    { heading: 'AGE', cells: 4, from: 120, align: right, text: ({ first_seen }) => relativeTime(first_seen, nowMs) },
    ...column('SERVICE', shape.service, 100, ({ service }) => service),
    ...column('OWNER', shape.owner, 140, ({ assignee }) => assignee),
    ...column('ENV', shape.hasEnvironments ? 10 : 0, 140, ({ environments: [first = null] }) => first),
    ...column('FIRST IN', shape.hasReleases ? 12 : 0, 160, ({ first_release }) => first_release),
    ...column('LAST IN', shape.hasReleases ? 12 : 0, 160, ({ last_release }) => last_release),
    ...column('REGRESSED IN', hasRegressed ? 12 : 0, 160, ({ regressed_in }) => regressed_in),
    ...column('STATE', Math.min(STATE_CELLS, Math.max(1, ...states)), 0, (issue) => stateWords(issue, nowMs)),
  ];
}
