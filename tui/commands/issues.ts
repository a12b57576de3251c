import { Fault } from '../../core/event/fault.js';
import type { FailureReader, IssueSort } from '../../core/reader.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import type { Column } from '../format/columns.js';
import { issueColumns } from '../format/issue-columns.js';
import { issuesMarkdown } from '../format/markdown-lists.js';
import { stateWords } from '../format/state-words.js';
import { collectPages } from './collect-pages.js';
import { printTable } from './print-table.js';
import { chosenFormat, type FormattedOptions } from './printing-format.js';
import { runPrinting } from './run-printing.js';
import { print, printJson, printJsonLines } from './text-output.js';
import { type WatchOptions, watch } from './watch.js';
import { issueLook } from './watch-issues.js';

export interface IssuesOptions extends FormattedOptions, Pick<WatchOptions, 'intervalMs' | 'signals'> {
  reader: FailureReader;
  /** Absent: all issues. */
  query?: string | undefined;
  sort: IssueSort;
  /** At most so many issues, from 1 on; of a watch those at its start. */
  limit: number;
  /** Goes on with what is new or changed, until it is interrupted; default false. */
  isWatch?: boolean | undefined;
}

/** Commands take the first eight characters of an id as well. */
const ID_COLUMN: Column<IssueSummary> = {
  heading: 'ID',
  cells: (width) => (width < 120 ? 9 : 36),
  text: ({ issue_id: id }) => id,
};
const STATE_COLUMN: Column<IssueSummary> = {
  heading: 'STATE',
  cells: (width) => (width < 120 ? 9 : 24),
  text: stateWords,
};

/** Prints the issues as a table, as NDJSON, as Markdown, or with `json` as the reading API answers them. Answers the exit code. */
export async function runIssues(options: IssuesOptions): Promise<number> {
  const { reader, query, sort, limit, stdout, stderr } = options;
  let ended: number | undefined;
  const code = await runPrinting(stderr, async () => {
    const format = chosenFormat(options);
    if (options.isWatch === true) {
      ended = await watchIssues(options);
      return;
    }
    let total = 0;
    const { rows, nextCursor } = await collectPages<IssueSummary>(limit, async (range) => {
      const page = await reader.listIssues({ ...range, sort, ...(query === undefined ? {} : { query }) });
      total = page.total;
      return { rows: page.issues, nextCursor: page.next_cursor };
    });
    if (format === 'document') await printJson(stdout, { issues: rows, next_cursor: nextCursor, total });
    else if (format === 'ndjson') await printJsonLines(stdout, rows);
    else if (format === 'markdown') await print(stdout, issuesMarkdown(rows));
    else await printIssueTable(options, rows, true);
  });
  return ended ?? code;
}

async function watchIssues(options: IssuesOptions): Promise<number> {
  const { reader, query, sort, limit, stdout } = options;
  const format = chosenFormat(options);
  if (format === 'document' || format === 'markdown') {
    throw new Fault('ARGUMENT_INVALID', '--watch prints a table or NDJSON; take --format table or --format ndjson.');
  }
  if (sort !== 'last_seen') {
    throw new Fault('ARGUMENT_INVALID', `--watch prints issues as they are seen; leave --sort ${sort} away.`);
  }
  let isFirst = true;
  const tell = async (issues: readonly IssueSummary[]): Promise<void> => {
    if (format === 'ndjson') await printJsonLines(stdout, issues);
    else if (isFirst || issues.length > 0) await printIssueTable(options, issues, isFirst);
    isFirst = false;
  };
  return await watch(issueLook({ reader, query, limit, tell }), options);
}

async function printIssueTable(
  { stdout, env }: IssuesOptions,
  rows: readonly IssueSummary[],
  heading: boolean,
): Promise<void> {
  await printTable(stdout, env, [ID_COLUMN, ...issueColumns(Date.now()), STATE_COLUMN], rows, { heading });
}
