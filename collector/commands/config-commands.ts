import type { Argv } from 'yargs';
import type { CommandSurroundings } from './command-surroundings.js';
import { withConfig } from './config-options.js';

/** Adds the commands that look at a configuration without running it; each is imported when it is called. */
export function addConfigCommands(
  line: Argv,
  { streams, done, version }: Pick<CommandSurroundings, 'streams' | 'done'> & { readonly version: string },
): void {
  line.command(
    'validate',
    'Check a configuration, and the machine for what would stop a start, without running it',
    (command) =>
      withConfig(command)
        .option('start-checks', {
          type: 'boolean',
          default: true,
          describe: 'Look at ports, folders, certificates and tokens too; --no-start-checks where it will not run here',
        })
        .example('$0 validate --config faultline.yaml', 'lists every problem with file:line:column'),
    async ({ config, set, startChecks }) => {
      const { runValidate } = await import('./validate.js');
      done(await runValidate({ config, set, startChecks, env: process.env, ...streams }));
    },
  );
  line.command(
    ['print-config', 'print-initial-config'],
    'Print the configuration that counts: files merged, defaults filled in, secrets masked',
    (command) =>
      withConfig(command)
        .option('format', {
          choices: ['yaml', 'json'] as const,
          default: 'yaml' as const,
          describe: 'Form of the output',
        })
        .option('unredacted', { type: 'boolean', default: false, describe: 'Print secrets too' })
        .example('$0 print-config --config faultline.yaml', 'as the collector would see it'),
    async ({ config, set, format, unredacted }) => {
      const { runPrintConfig } = await import('./print-config.js');
      done(await runPrintConfig({ config, set, format, unredacted, env: process.env, ...streams }));
    },
  );
  line.command(
    'components',
    'Print which receivers, processors, exporters and extensions there are',
    (command) =>
      command
        .option('settings', { type: 'boolean', default: false, describe: 'List every setting with type and default' })
        .option('json', { type: 'boolean', default: false, describe: 'JSON instead of YAML' }),
    async ({ settings, json }) => {
      const { runComponents } = await import('./components.js');
      done(runComponents({ version, settings, json, ...streams }));
    },
  );
}
