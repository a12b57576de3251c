import type { Argv } from 'yargs';
import { Fault } from '../../core/event/fault.js';
import type { PrintingOptions } from './run-printing.js';

/** How things are printed when somebody says so. */
export const PRINT_FORMATS = ['table', 'ndjson', 'markdown'] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];

export interface FormattedOptions extends PrintingOptions {
  /** Default: a table on a terminal, NDJSON elsewhere. */
  format?: PrintFormat | undefined;
}

/** The format of a call; `document` is one JSON document, as `--json` asks for. Throws `ARGUMENT_INVALID` where two are asked for. */
export function chosenFormat({ json, format, stdout }: FormattedOptions): PrintFormat | 'document' {
  if (json && format !== undefined) {
    throw new Fault('ARGUMENT_INVALID', `--json prints one document; leave it or --format ${format} away.`);
  }
  if (json) return 'document';
  return format ?? (stdout.isTTY === true ? 'table' : 'ndjson');
}

/** The options of every command that prints issues or events; `inPipe` names what is printed where there is no terminal. */
export function formatOptions<T>(command: Argv<T>, inPipe: 'NDJSON' | 'the same') {
  return command
    .option('format', {
      choices: PRINT_FORMATS,
      describe: `How it is printed (default: text for people on a terminal, ${inPipe} in a pipe)`,
    })
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON document' });
}
