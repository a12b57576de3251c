import type { Argv } from 'yargs';
import type { Regrouping } from '../../core/storage/regroup/regrouping.js';
import type { RegroupObserver } from './regroup.js';

/** What the command is given. */
export interface RegroupSurroundings {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  /** A collector or a folder; the default is whichever is there. */
  readonly openRegrouping: (
    choice: { url: string | undefined; data: string | undefined; tokenFile: string | undefined },
    observer: RegroupObserver,
  ) => Promise<Regrouping>;
  /** The collector where none is named. */
  readonly defaultUrl: string;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
}

/** Adds the command that groups everything otherwise. */
export function addRegroupCommand(
  line: Argv,
  { streams, openRegrouping, defaultUrl, done }: RegroupSurroundings,
): void {
  line.command(
    'regroup',
    'Group everything that is stored by other rules or a newer version: look first, do it, take it back',
    (command) =>
      command
        .option('preview', { type: 'boolean', default: false, describe: 'Tell what would change' })
        .option('apply', { type: 'boolean', default: false, describe: 'Do it, while events go on arriving' })
        .option('rollback', { type: 'boolean', default: false, describe: 'Take the last one back' })
        .option('config', {
          type: 'string',
          array: true,
          nargs: 1,
          default: [],
          describe: 'Configuration file whose grouping rules count; default those that group new events',
        })
        .option('set', {
          type: 'string',
          array: true,
          nargs: 1,
          default: [],
          describe: 'One setting over all files, as a.b.c=value',
        })
        .option('grouping-version', { type: 'number', describe: 'Version of the built-in rules; default the newest' })
        .option('url', {
          type: 'string',
          describe: `Collector that does it (default: ${defaultUrl}, else the local data folder)`,
        })
        .option('data', { type: 'string', describe: 'Data folder that no collector is using' })
        .option('token-file', {
          type: 'string',
          describe: 'File with the token of the collector (default: the variable FAULTLINE_TOKEN)',
        })
        .option('json', { type: 'boolean', default: false, describe: 'Print what came out of it as JSON' })
        .conflicts('url', 'data')
        .example('$0 regroup --preview --config faultline.yaml', 'what would merge, split and appear')
        .example('$0 regroup --apply --config faultline.yaml', '')
        .example('$0 regroup --rollback', ''),
    async ({ preview, apply, rollback, config, set, groupingVersion, url, data, tokenFile, json }) => {
      const { runRegroup } = await import('./regroup.js');
      done(
        await runRegroup({
          preview,
          apply,
          rollback,
          config,
          set,
          groupingVersion,
          json,
          env: process.env,
          open: (observer) => openRegrouping({ url, data, tokenFile }, observer),
          ...streams,
        }),
      );
    },
  );
}
