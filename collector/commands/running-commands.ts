import type { Argv } from 'yargs';
import type { CommandSurroundings } from './command-surroundings.js';
import { withConfig } from './config-options.js';

/** Adds the commands around a running collector; each is imported when it is called. */
export function addRunningCommands(line: Argv, { streams, defaultDirectory, done }: CommandSurroundings): void {
  line.command(
    'collect',
    'Run the collector',
    (command) =>
      withConfig(command)
        .example('$0 collect', 'on the embedded default, data in ./faultline-data')
        .example(
          '$0 collect --config faultline.yaml --set exporters.store.directory=/var/lib/faultline',
          'as a service would',
        ),
    async (options) => {
      const { keepHeapTight } = await import('./tight-heap.js');
      keepHeapTight();
      const { runCollect } = await import('./collect.js');
      done(await runCollect({ config: options.config, set: options.set, env: process.env, ...streams }));
    },
  );
  line.command(
    'run',
    'Run a program, let its output through and collect the failures it prints and its crash',
    (command) =>
      command
        // Whatever stands behind the two dashes is the program's.
        .parserConfiguration({ 'nargs-eats-options': true, 'populate--': true })
        .usage('$0 run [options] -- PROGRAM [WORDS…]\n\nRun a program and collect the failures it prints and its crash')
        .option('app', { type: 'string', describe: 'Name of the application; default the service' })
        .option('service', { type: 'string', describe: 'Name of the service; default the name of the program' })
        .option('env', {
          type: 'string',
          describe: 'Name of the environment; default FAULTLINE_ENV, NODE_ENV or development',
        })
        .option('release', { type: 'string', describe: 'Version that runs' })
        .option('url', {
          type: 'string',
          describe: 'Where a collector takes events; default FAULTLINE_URL, http://localhost:4318 or one of its own',
        })
        .option('data', {
          type: 'string',
          describe: `Collect in this data folder by a collector of its own; default ${defaultDirectory}`,
        })
        .example('$0 run -- node server.js', 'ends as the program ends'),
    async ({ app, service, env, release, url, data }) => {
      const { runRun } = await import('./run.js');
      const words = process.argv;
      const command = words.includes('--') ? words.slice(words.indexOf('--') + 1) : [];
      const names = { app, service, env, release };
      done(
        await runRun({
          command,
          names,
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
