import type { Argv } from 'yargs';
import type { CommandSurroundings } from './command-surroundings.js';
import { shownDash } from './lone-dash.js';

/** Adds the commands that work on a data folder or on payloads without a collector; each is imported when it is called. */
export function addFolderCommands(line: Argv, { streams, defaultDirectory, done }: CommandSurroundings): void {
  line.command(
    'import <file..>',
    'Put raw payloads (NDJSON, `-` for standard input) into a data folder that no collector is using',
    (command) =>
      command
        .positional('file', { type: 'string', array: true, demandOption: true, describe: 'NDJSON files' })
        .option('data', { type: 'string', default: defaultDirectory, describe: 'Data folder' })
        .option('id', {
          type: 'string',
          describe: 'Name of this import; repeated with the same name it goes on where it was interrupted',
        })
        .option('app', { type: 'string', describe: 'App of events that name none' })
        .option('service', { type: 'string', describe: 'Service of events that name none' })
        .option('env', { type: 'string', describe: 'Environment of events that name none' })
        .example('$0 import failures.ndjson --id march', 'can be interrupted and repeated')
        .example('zcat failures.ndjson.gz | $0 import -', 'from a pipe'),
    async (options) => {
      const { runImport } = await import('./import.js');
      const defaults = { app: options.app, service: options.service, env: options.env };
      done(
        await runImport({
          files: options.file.map(shownDash),
          directory: options.data,
          id: options.id,
          defaults,
          stdin: process.stdin,
          ...streams,
        }),
      );
    },
  );
  line.command(
    'verify',
    'Check a data folder against its checksums and its index, also beside its collector',
    (command) =>
      command
        .option('data', { type: 'string', default: defaultDirectory, describe: 'Data folder' })
        .option('json', { type: 'boolean', default: false, describe: 'Print NDJSON' })
        .example('$0 verify', `names file, line and damage in ${defaultDirectory}; exit code 0 when there is none`),
    async (options) => {
      const { runVerify } = await import('./verify.js');
      done(await runVerify({ directory: options.data, json: options.json, ...streams }));
    },
  );
  line.command(
    'rebuild',
    'Make the index of a data folder anew from its record, while no collector is using it',
    (command) =>
      command
        .option('data', { type: 'string', default: defaultDirectory, describe: 'Data folder' })
        .example('$0 rebuild --data /var/lib/faultline', 'after partitions were moved away or put back'),
    async (options) => {
      const { runRebuild } = await import('./rebuild.js');
      done(await runRebuild({ directory: options.data, ...streams }));
    },
  );
  line.command(
    'fingerprint [file..]',
    'Group raw payloads (NDJSON, default standard input) without storing them',
    (command) =>
      command
        .positional('file', {
          type: 'string',
          array: true,
          default: [],
          describe: 'NDJSON files; `-` is standard input',
        })
        .option('config', {
          type: 'string',
          array: true,
          nargs: 1,
          default: [],
          describe: 'Configuration file whose grouping rules count; may be given several times',
        })
        .option('set', {
          type: 'string',
          array: true,
          nargs: 1,
          default: [],
          describe: 'One setting over all files, as a.b.c=value',
        })
        .option('explain', { type: 'boolean', default: false, describe: 'Say for people what decided, and why' })
        .option('json', { type: 'boolean', default: false, describe: 'Print NDJSON also with --explain' })
        .option('grouping-version', { type: 'number', describe: 'Version of the built-in rules; default the newest' })
        .example('$0 fingerprint < failures.ndjson', 'one line {"fingerprint","version","title","basis"} for each')
        .example('$0 fingerprint failures.ndjson --explain --config rules.yaml', 'tries rules without a collector'),
    async (options) => {
      const { runFingerprint } = await import('./fingerprint.js');
      done(
        await runFingerprint({
          files: options.file.map(shownDash),
          config: options.config,
          set: options.set,
          explain: options.explain,
          json: options.json,
          groupingVersion: options['grouping-version'],
          env: process.env,
          stdin: process.stdin,
          ...streams,
        }),
      );
    },
  );
}
