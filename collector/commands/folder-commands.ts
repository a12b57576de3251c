import type { Argv } from 'yargs';
import { type CliContext, groupingOptions, restoreDash } from './command-line.js';

/** Adds the commands that need no collector: they work on a data folder or on payloads. Each is imported when it is called. */
export function addFolderCommands(cli: Argv, { streams, defaultDirectory, done }: CliContext): void {
  const dataOption = { type: 'string', default: defaultDirectory, describe: 'Data folder' } as const;
  cli.command(
    'import <file..>',
    'Import raw payloads (NDJSON, `-` for standard input) into a data folder that no collector is using',
    (command) =>
      command
        .positional('file', { type: 'string', array: true, demandOption: true, describe: 'NDJSON files' })
        .option('data', dataOption)
        .option('id', {
          type: 'string',
          describe: 'Id of this import; repeat the command with it to continue after an interruption',
        })
        .option('app', { type: 'string', describe: 'App of events without one' })
        .option('service', { type: 'string', describe: 'Service of events without one' })
        .option('env', { type: 'string', describe: 'Environment of events without one' })
        .example('$0 import failures.ndjson --id march', 'can be interrupted and repeated')
        .example('zcat failures.ndjson.gz | $0 import -', 'from a pipe'),
    async ({ file, data, id, app, service, env }) => {
      const { runImport } = await import('./import.js');
      const files = file.map(restoreDash);
      const defaults = { app, service, env };
      done(await runImport({ files, directory: data, id, defaults, stdin: process.stdin, ...streams }));
    },
  );
  cli.command(
    'verify',
    'Check a data folder against its checksums and its index; a collector may be using it',
    (command) =>
      command
        .option('data', dataOption)
        .option('json', { type: 'boolean', default: false, describe: 'Print NDJSON' })
        .example('$0 verify', `lists damage in ${defaultDirectory} with file and line; exit code 0 if clean`),
    async ({ data, json }) => {
      const { runVerify } = await import('./verify.js');
      done(await runVerify({ directory: data, json, ...streams }));
    },
  );
  cli.command(
    'rebuild',
    'Rebuild the index of a data folder from its record; no collector may be using it',
    (command) =>
      command
        .option('data', dataOption)
        .example('$0 rebuild --data /var/lib/faultline', 'after you moved partitions away or back'),
    async ({ data }) => {
      const { runRebuild } = await import('./rebuild.js');
      done(await runRebuild({ directory: data, ...streams }));
    },
  );
  cli.command(
    'fingerprint [file..]',
    'Print the fingerprints of raw payloads (NDJSON, default: standard input) without storing them',
    (command) =>
      groupingOptions(
        command.positional('file', {
          type: 'string',
          array: true,
          default: [],
          describe: 'NDJSON files; `-` is standard input',
        }),
        'the built-in rules alone',
      )
        .option('explain', { type: 'boolean', default: false, describe: 'Print as text what decided, and why' })
        .option('json', { type: 'boolean', default: false, describe: 'Print NDJSON also with --explain' })
        .example('$0 fingerprint < failures.ndjson', 'one line {"fingerprint","version","title","basis"} for each')
        .example('$0 fingerprint failures.ndjson --explain --config rules.yaml', 'tries rules without a collector'),
    async ({ file, config, set, explain, json, groupingVersion }) => {
      const { runFingerprint } = await import('./fingerprint.js');
      const files = file.map(restoreDash);
      const { env, stdin } = process;
      done(await runFingerprint({ files, config, set, explain, json, groupingVersion, env, stdin, ...streams }));
    },
  );
}
