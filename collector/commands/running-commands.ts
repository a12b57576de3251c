import type { Argv } from 'yargs';
import { type CliContext, configOptions } from './command-line.js';

/** Adds the commands that run a collector; each is imported when it is called. */
export function addRunningCommands(cli: Argv, { streams, defaultDirectory, done }: CliContext): void {
  cli.command(
    'collect',
    'Run the collector',
    (command) =>
      configOptions(command)
        .example('$0 collect', 'with the default configuration and data in ./faultline-data')
        .example(
          '$0 collect --config faultline.yaml --set exporters.store.directory=/var/lib/faultline',
          'as a service',
        ),
    async ({ config, set }) => {
      const { keepHeapTight } = await import('./tight-heap.js');
      keepHeapTight();
      const { runCollect } = await import('./collect.js');
      done(await runCollect({ config, set, env: process.env, ...streams }));
    },
  );
  cli.command(
    'run',
    'Run a program and collect its crash and the failures it prints; its output stays the same',
    (command) =>
      command
        // All arguments after the two dashes belong to the program.
        .parserConfiguration({ 'nargs-eats-options': true, 'populate--': true })
        .usage('$0 run [options] -- PROGRAM [ARGS…]\n\nRun a program and collect its crash and the failures it prints')
        .option('app', { type: 'string', describe: 'Name of the app (default: the service)' })
        .option('service', { type: 'string', describe: 'Name of the service (default: the name of the program)' })
        .option('env', {
          type: 'string',
          describe: 'Name of the environment (default: FAULTLINE_ENV, NODE_ENV or development)',
        })
        .option('release', { type: 'string', describe: 'Release of the program' })
        .option('url', {
          type: 'string',
          describe: 'Collector to send to (default: FAULTLINE_URL, http://localhost:4318, or one started for this run)',
        })
        .option('data', {
          type: 'string',
          describe: `Start a collector for this run on this data folder (default: ${defaultDirectory})`,
        })
        .example('$0 run -- node server.js', 'exits as the program does'),
    async ({ app, service, env, release, url, data }) => {
      const { runRun } = await import('./run.js');
      const args = process.argv;
      done(
        await runRun({
          command: args.includes('--') ? args.slice(args.indexOf('--') + 1) : [],
          names: { app, service, env, release },
          url,
          directory: data,
          defaultDirectory,
          env: process.env,
          stdin: () => process.stdin,
          ...streams,
        }),
      );
    },
  );
}
