import type { Argv } from 'yargs';
import { DECISIONS } from '../../../core/storage/regroup/regrouping.js';
import { type CliContext, flag, groupingOptions, text } from '../command-line.js';
import type { RegroupObserver } from './folder-regrouping.js';

/** Adds the commands `regroup` and `suggest`. */
export function addRegroupCommands(cli: Argv, context: CliContext): void {
  const { streams, openRegrouping, openReader, defaultUrl, user, done } = context;
  cli.command(
    'regroup',
    'Preview and apply other rules to stored events',
    (command) =>
      sourceOptions(
        groupingOptions(
          command
            .option('preview', flag('Show what would change'))
            .option('apply', flag('Apply it; a running collector keeps accepting events'))
            .option('rollback', flag('Roll back the last one')),
          'the rules that group new events',
        ),
        defaultUrl,
      )
        .example('$0 regroup --preview', 'what would merge, split and appear')
        .example('$0 regroup --apply --config faultline.yaml', '')
        .example('$0 regroup --rollback', ''),
    async ({ preview, apply, rollback, config, set, groupingVersion, url, data, tokenFile, json }) => {
      const { runRegroup } = await import('./regroup.js');
      const flags = { preview, apply, rollback, json };
      const open = (observer: RegroupObserver) => openRegrouping({ url, data, tokenFile }, observer);
      done(await runRegroup({ ...flags, config, set, groupingVersion, env: process.env, open, ...streams }));
    },
  );
  const ids = (describe: string) => ({ type: 'string', array: true, requiresArg: true, describe }) as const;
  cli.command(
    'suggest',
    'List rules that would join or split issues',
    (command) =>
      sourceOptions(
        command
          .option('service', text('Only for this service'))
          .option('preview', ids('Show the rules of suggestions, and what they would change'))
          .option('accept', ids('Add the rules of suggestions, and regroup'))
          .option('dismiss', ids('Do not list suggestions again'))
          .option('undo', ids('Undo decisions'))
          .option('actor', text('Your name (default: $USER)'))
          .conflicts({ preview: [...DECISIONS], accept: ['dismiss', 'undo'], dismiss: 'undo' }),
        defaultUrl,
      )
        .example('$0 suggest', 'most events first')
        .example('$0 suggest --preview 3f2a9c1e', 'with the rule as YAML')
        .example('$0 suggest --accept 3f2a9c1e 77b0d4e2', ''),
    async ({ url, data, tokenFile, actor: by = user ?? null, ...options }) => {
      const { runSuggest } = await import('./suggest.js');
      const choice = { url, data, tokenFile };
      const open = (observer: RegroupObserver) => openRegrouping(choice, observer);
      done(
        await runSuggest({ ...options, by, env: process.env, open, openList: () => openReader(choice), ...streams }),
      );
    },
  );
}

function sourceOptions<Options>(command: Argv<Options>, defaultUrl: string) {
  return command
    .option('url', text(`Collector (default: ${defaultUrl}, else the local data folder)`))
    .option('data', text('Data folder (no collector may be running on it)'))
    .option('token-file', text('File with the token (default: FAULTLINE_TOKEN)'))
    .option('json', flag('Print the result as JSON'))
    .conflicts('url', 'data');
}
