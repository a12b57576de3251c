import type { Argv } from 'yargs';
import { PRINT_FORMATS } from './printing-format.js';

/** The options of every command that prints issues or events; `inPipe` names what is printed where there is no terminal. */
export function formatOptions<T>(command: Argv<T>, inPipe: 'NDJSON' | 'the same') {
  return command
    .option('format', {
      choices: PRINT_FORMATS,
      describe: `How it is printed (default: text for people on a terminal, ${inPipe} in a pipe)`,
    })
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON document' });
}
