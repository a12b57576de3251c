import type { FailureReader, IssueSort } from '../../core/contract/reader.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { printedIssueColumns } from '../format/issue/printed-issue-columns.js';
import { countWithNoun } from '../text/counts.js';
import { collectPages } from './collect-pages.js';
import { withSince } from './find-since.js';
import { moreWords, printTable } from './print-table.js';
import { chooseFormat, type FormattedOptions, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssuesOptions extends FormattedOptions {
  reader: FailureReader;
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
  return runPrinting(stderr, async () => {
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
