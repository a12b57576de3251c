import type { Argv } from 'yargs';
import { type ReadingSurroundings, readerOptions, withReader } from './reading-surroundings.js';

/** Adds the command that writes out what was collected. */
export function addExportCommand(line: Argv, surroundings: ReadingSurroundings): void {
  const { streams, openReader, defaultUrl, done } = surroundings;
  line.command(
    'export',
    'Write out all events that match, or all issues, one a line',
    (command) =>
      readerOptions(command, defaultUrl)
        .option('query', { type: 'string', nargs: 1, describe: 'Only what matches' })
        .option('issues', { type: 'boolean', default: false, describe: 'Issues instead of events' })
        .option('normalized', {
          type: 'boolean',
          default: false,
          describe: 'Normalized events instead of raw payloads with event_id and address',
        })
        .option('format', {
          choices: ['ndjson', 'csv'] as const,
          default: 'ndjson' as const,
          describe: 'NDJSON, or CSV for a spreadsheet',
        })
        .option('output', { type: 'string', alias: 'o', describe: 'A file to make (default: standard output)' })
        .option('force', { type: 'boolean', default: false, describe: 'Replace that file where it is there already' })
        .example('$0 export --query "release:v1.4.2 level:error" > failures.ndjson', '')
        .example('$0 export --issues --format csv --output issues.csv', ''),
    async (options) => {
      const { runExport } = await import('./export.js');
      const { query, normalized, format, output, force } = options;
      done(
        await withReader(openReader(options), (reader) =>
          runExport({ reader, query, isOfIssues: options.issues, normalized, format, output, force, ...streams }),
        ),
      );
    },
  );
}
