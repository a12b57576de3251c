import type { Argv } from 'yargs';
import { ISSUE_SORTS } from '../../core/contract/reader.js';
import { DETAIL_FORMATS, formatOptions, LIST_FORMATS } from './printing-format.js';
import { readerOptions, type StoreSurroundings, withReader } from './store-surroundings.js';

/** Adds the commands that print issues. */
export function addIssueCommands(line: Argv, surroundings: StoreSurroundings): void {
  const { defaultUrl } = surroundings;
  line.command(
    'issues',
    'Print the issues',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), LIST_FORMATS, 'NDJSON')
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only what matches, for example "level:error service:api timeout"',
        })
        .option('sort', {
          choices: ISSUE_SORTS,
          default: 'last_seen' as const,
          describe: 'Order: times and numbers descend, texts ascend',
        })
        .option('limit', { type: 'number', default: 50, describe: 'At most so many' })
        .example('$0 issues --query env:production --sort count', 'the most frequent ones of production'),
    async (options) => {
      const { runIssues } = await import('./issues.js');
      const { query, sort, limit, json, format } = options;
      await withReader(surroundings, options, (call) => runIssues({ ...call, query, sort, limit, json, format }));
    },
  );
  line.command(
    'issue <id>',
    'Print one issue: its state, its history, and why its events are one',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), DETAIL_FORMATS, 'NDJSON')
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Issue id or its first 8 characters or more',
        })
        .example('$0 issue 4c1f4d51', '')
        .example('$0 issue 4c1f4d51 --format markdown', 'for an issue tracker, with its latest event'),
    async (options) => {
      const { runIssue } = await import('./issue.js');
      const { id: issueId, json, format } = options;
      await withReader(surroundings, options, (call) => runIssue({ ...call, issueId, json, format }));
    },
  );
}
