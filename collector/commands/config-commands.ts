import type { Argv } from 'yargs';
import { type CliContext, configOptions, flag } from './command-line.js';

/** Adds the commands that inspect a configuration without running it; each is imported when it is called. */
export function addConfigCommands(cli: Argv, { streams, done, version }: CliContext): void {
  cli.command(
    'validate',
    'Check a configuration and this machine',
    (command) =>
      configOptions(command)
        .option('start-checks', {
          type: 'boolean',
          default: true,
          describe: 'Also check ports, folders, certificates and tokens (default: true)',
        })
        .option('connect', flag('Also ask NATS servers, and which gateways own which partitions'))
        .example('$0 validate --no-start-checks', 'the default configuration')
        .example('$0 validate --config faultline.yaml', ''),
    async ({ config, set, startChecks, connect }) => {
      const { runValidate } = await import('./validate.js');
      done(await runValidate({ config, set, startChecks, connect, env: process.env, ...streams }));
    },
  );
  cli.command(
    ['print-config', 'print-initial-config'],
    'Print the effective configuration, secrets masked',
    (command) =>
      configOptions(command)
        .option('format', {
          choices: ['yaml', 'json'] as const,
          default: 'yaml' as const,
          describe: 'Output format: yaml or json (default: yaml)',
        })
        .option('unredacted', flag('Print secrets too'))
        .example('$0 print-config --set receivers.events.endpoint=localhost:5318', '')
        .example('$0 print-config --config faultline.yaml', ''),
    async ({ config, set, format, unredacted }) => {
      const { runPrintConfig } = await import('./print-config.js');
      done(await runPrintConfig({ config, set, format, unredacted, env: process.env, ...streams }));
    },
  );
  cli.command(
    'components',
    'List components and their settings',
    (command) =>
      configOptions(command)
        .option('settings', flag('List every setting with its type and default'))
        .option('format', {
          choices: ['yaml', 'json', 'markdown'] as const,
          default: 'yaml' as const,
          describe: 'Output format: yaml, json, or markdown, the reference of all settings (default: yaml)',
        })
        .option('json', flag('The same as --format json'))
        .example('$0 components --settings', 'with types and defaults')
        .example('$0 components --config faultline.yaml', ''),
    async ({ config, set, settings, format, json }) => {
      const { runComponents } = await import('./components.js');
      const options = { config, set, settings, format: json ? 'json' : format, env: process.env } as const;
      done(await runComponents({ version, ...options, ...streams }));
    },
  );
}
