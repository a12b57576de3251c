import type { Argv } from 'yargs';
import { type CliContext, configOptions } from './command-line.js';

/** Adds the commands that inspect a configuration without running it; each is imported when it is called. */
export function addConfigCommands(
  cli: Argv,
  { streams, done, version }: Pick<CliContext, 'streams' | 'done'> & { readonly version: string },
): void {
  cli.command(
    'validate',
    'Check a configuration, and whether it would start on this machine, without running it',
    (command) =>
      configOptions(command)
        .option('start-checks', {
          type: 'boolean',
          default: true,
          describe: 'Also check ports, folders, certificates and tokens; use --no-start-checks for another machine',
        })
        .example('$0 validate --config faultline.yaml', 'lists every problem with file:line:column'),
    async ({ config, set, startChecks }) => {
      const { runValidate } = await import('./validate.js');
      done(await runValidate({ config, set, startChecks, env: process.env, ...streams }));
    },
  );
  cli.command(
    ['print-config', 'print-initial-config'],
    'Print the effective configuration: files merged, defaults filled in, secrets masked',
    (command) =>
      configOptions(command)
        .option('format', {
          choices: ['yaml', 'json'] as const,
          default: 'yaml' as const,
          describe: 'Output format',
        })
        .option('unredacted', { type: 'boolean', default: false, describe: 'Print secrets too' })
        .example('$0 print-config --config faultline.yaml', 'what `collect` would run with'),
    async ({ config, set, format, unredacted }) => {
      const { runPrintConfig } = await import('./print-config.js');
      done(await runPrintConfig({ config, set, format, unredacted, env: process.env, ...streams }));
    },
  );
  cli.command(
    'components',
    'List the receivers, processors, exporters and extensions of this build',
    (command) =>
      command
        .option('settings', { type: 'boolean', default: false, describe: 'List every setting with type and default' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON instead of YAML' }),
    async ({ settings, json }) => {
      const { runComponents } = await import('./components.js');
      done(runComponents({ version, settings, json, ...streams }));
    },
  );
}
