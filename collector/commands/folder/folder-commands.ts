import type { Argv } from 'yargs';
import { type CliContext, flag, groupingOptions, restoreDash, text, texts } from '../command-line.js';

/** Adds the commands that need no collector: they work on a data folder or on payloads. Each is imported when it is called. */
export function addFolderCommands(cli: Argv, { streams, defaultDirectory, done }: CliContext): void {
  const dataOption = { ...text(`Data folder (default: ${defaultDirectory})`), default: defaultDirectory };
  cli.command(
    'import <file..>',
    'Store payloads from NDJSON files',
    (command) =>
      command
        .positional('file', { ...texts('NDJSON files; - is standard input'), demandOption: true })
        .option('data', dataOption)
        .option('id', text('Name of the import; use it again to resume'))
        .option('app', text('App of events without one'))
        .option('service', text('Service of events without one'))
        .option('env', text('Environment of events without one'))
        .example('$0 export | $0 import - --data ./copy', '')
        .example('$0 import failures.ndjson --id march', '')
        .example('zcat failures.ndjson.gz | $0 import -', ''),
    async ({ file, data, id, app, service, env }) => {
      const { runImport } = await import('./import.js');
      const files = file.map(restoreDash);
      const defaults = { app, service, env };
      done(await runImport({ files, directory: data, id, defaults, stdin: process.stdin, ...streams }));
    },
  );
  cli.command(
    'verify',
    'Check a folder for damage',
    (command) =>
      command
        .option('data', dataOption)
        .option('json', flag('Print NDJSON'))
        .example('$0 verify --data ./copy', 'also while a collector runs'),
    async ({ data, json }) => {
      const { runVerify } = await import('./verify.js');
      done(await runVerify({ directory: data, json, ...streams }));
    },
  );
  cli.command(
    'rebuild',
    'Rebuild the index of a data folder',
    (command) => command.option('data', dataOption).example('$0 rebuild --data ./copy', 'not while a collector runs'),
    async ({ data }) => {
      const { runRebuild } = await import('./rebuild.js');
      done(await runRebuild({ directory: data, ...streams }));
    },
  );
  cli.command(
    'fingerprint [file..]',
    'Group payloads without storing them',
    (command) =>
      groupingOptions(
        command.positional('file', texts('NDJSON files; - is standard input (default: standard input)')),
        'the built-in rules alone',
      )
        .option('explain', flag('Explain the grouping'))
        .option('json', flag('Print NDJSON also with --explain'))
        .example('$0 export --query service:payments | $0 fingerprint', '')
        .example('$0 fingerprint failures.ndjson --explain --config rules.yaml', ''),
    async ({ file, config, set, explain, json, groupingVersion }) => {
      const { runFingerprint } = await import('./fingerprint.js');
      const files = file.map(restoreDash);
      const { env, stdin } = process;
      done(await runFingerprint({ files, config, set, explain, json, groupingVersion, env, stdin, ...streams }));
    },
  );
}
