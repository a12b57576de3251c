import type { Argv } from 'yargs';

/** Adds the options that say where a configuration comes from. */
export function withConfig<Options>(command: Argv<Options>) {
  return command
    .option('config', {
      type: 'string',
      array: true,
      default: [],
      describe: 'Configuration: a path, env:NAME or yaml:TEXT; later ones are merged over earlier ones',
    })
    .option('set', {
      type: 'string',
      array: true,
      default: [],
      describe: 'One setting over all files, as a.b.c=value',
    });
}
