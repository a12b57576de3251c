import type { Argv } from 'yargs';
import type { Regrouping } from '../../core/storage/regroup/regrouping.js';
import { type CliContext, groupingOptions } from './command-line.js';
import type { RegroupObserver } from './regroup.js';

/** What the command gets. */
export interface RegroupContext extends Pick<CliContext, 'streams' | 'done'> {
  /** Opens a collector or a folder; default: the local collector, else the local data folder. */
  readonly openRegrouping: (
    choice: { url: string | undefined; data: string | undefined; tokenFile: string | undefined },
    observer: RegroupObserver,
  ) => Promise<Regrouping>;
  readonly defaultUrl: string;
}

/** Adds the command `regroup`. */
export function addRegroupCommand(cli: Argv, { streams, openRegrouping, defaultUrl, done }: RegroupContext): void {
  cli.command(
    'regroup',
    'Group all stored events again by other rules or a newer version: preview, apply, roll back',
    (command) =>
      groupingOptions(
        command
          .option('preview', { type: 'boolean', default: false, describe: 'Print what would change' })
          .option('apply', {
            type: 'boolean',
            default: false,
            describe: 'Regroup; a running collector keeps accepting events',
          })
          .option('rollback', { type: 'boolean', default: false, describe: 'Undo the last regrouping' }),
        'the rules that group new events',
      )
        .option('url', {
          type: 'string',
          describe: `Collector that regroups (default: ${defaultUrl}, else the local data folder)`,
        })
        .option('data', { type: 'string', describe: 'Data folder that no collector is using' })
        .option('token-file', {
          type: 'string',
          describe: 'File with the token of the collector (default: the variable FAULTLINE_TOKEN)',
        })
        .option('json', { type: 'boolean', default: false, describe: 'Print the result as JSON' })
        .conflicts('url', 'data')
        .example('$0 regroup --preview --config faultline.yaml', 'what would merge, split and appear')
        .example('$0 regroup --apply --config faultline.yaml', '')
        .example('$0 regroup --rollback', ''),
    async ({ preview, apply, rollback, config, set, groupingVersion, url, data, tokenFile, json }) => {
      const { runRegroup } = await import('./regroup.js');
      const flags = { preview, apply, rollback, json };
      const open = (observer: RegroupObserver) => openRegrouping({ url, data, tokenFile }, observer);
      done(await runRegroup({ ...flags, config, set, groupingVersion, env: process.env, open, ...streams }));
    },
  );
}
