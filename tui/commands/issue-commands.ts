import type { Argv } from 'yargs';
import { type ReadingSurroundings, readerOptions, withReader } from './reading-surroundings.js';

/** Adds the commands that print issues. */
export function addIssueCommands(line: Argv, surroundings: ReadingSurroundings): void {
  const { streams, openReader, defaultUrl, done } = surroundings;
  line.command(
    'issues',
    'Print the issues',
    (command) =>
      readerOptions(command, defaultUrl)
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only what matches, for example "level:error service:api timeout"',
        })
        .option('sort', {
          choices: ['last_seen', 'first_seen', 'count'] as const,
          default: 'last_seen' as const,
          describe: 'Order, descending',
        })
        .option('limit', { type: 'number', default: 50, describe: 'At most so many' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example('$0 issues --query env:production --sort count', 'the most frequent ones of production'),
    async (options) => {
      const { runIssues } = await import('./issues.js');
      done(
        await withReader(openReader(options), (reader) =>
          runIssues({
            reader,
            query: options.query,
            sort: options.sort,
            limit: options.limit,
            json: options.json,
            env: process.env,
            ...streams,
          }),
        ),
      );
    },
  );
  line.command(
    'issue <id>',
    'Print one issue: its state, its history, and why its events are one',
    (command) =>
      readerOptions(command, defaultUrl)
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Issue id or its first 8 characters or more',
        })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example('$0 issue 4c1f4d51', ''),
    async (options) => {
      const { runIssue } = await import('./issue.js');
      done(
        await withReader(openReader(options), (reader) =>
          runIssue({ reader, issueId: options.id, json: options.json, env: process.env, ...streams }),
        ),
      );
    },
  );
}
