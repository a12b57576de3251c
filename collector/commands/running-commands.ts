import type { Argv } from 'yargs';
import type { CommandSurroundings } from './command-surroundings.js';

/** Adds the commands around a running collector; each is imported when it is called. */
export function addRunningCommands(line: Argv, { streams, done }: CommandSurroundings): void {
  line.command(
    'collect',
    'Run the collector',
    (command) =>
      command
        .option('config', {
          type: 'string',
          array: true,
          default: [],
          describe: 'Configuration file; later ones are merged over earlier ones',
        })
        .option('set', {
          type: 'string',
          array: true,
          default: [],
          describe: 'One setting over all files, as a.b.c=value',
        })
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
    'validate',
    'Check a configuration without running it',
    (command) =>
      command
        .option('config', {
          type: 'string',
          array: true,
          demandOption: true,
          describe: 'Configuration file; may be given several times',
        })
        .option('set', {
          type: 'string',
          array: true,
          default: [],
          describe: 'One setting over all files, as a.b.c=value',
        })
        .example('$0 validate --config faultline.yaml', 'lists every problem with file:line:column'),
    async (options) => {
      const { runValidate } = await import('./validate.js');
      done(await runValidate({ config: options.config, set: options.set, env: process.env, ...streams }));
    },
  );
}
