import type { Argv } from 'yargs';
import { Fault } from '../../core/event/fault.js';
import type { PrintingOptions } from './run-printing.js';

/** How lists are printed when somebody says so. */
export const LIST_FORMATS = ['table', 'ndjson'] as const;
type ListFormat = (typeof LIST_FORMATS)[number];
/** How one issue or event is printed. */
export const DETAIL_FORMATS = [...LIST_FORMATS, 'markdown'] as const;
export type DetailFormat = (typeof DETAIL_FORMATS)[number];

export interface FormattedOptions<Format = ListFormat> extends PrintingOptions {
  /** Default: a table on a terminal, NDJSON elsewhere. */
  format?: Format | undefined;
}

/** The format of a call; `document` is one JSON document, as `--json` asks for. Throws `ARGUMENT_INVALID` where two are asked for. */
export function chosenFormat<Format>({
  json,
  format,
  stdout,
}: FormattedOptions<Format>): Format | ListFormat | 'document' {
  if (json && format !== undefined) {
    throw new Fault('ARGUMENT_INVALID', `--json prints one document; leave it or --format ${format} away.`);
  }
  if (json) return 'document';
  return format ?? (stdout.isTTY === true ? 'table' : 'ndjson');
}

/** The options of every command that prints issues or events; `inPipe` names what is printed where there is no terminal. */
export function formatOptions<T, Format extends string>(
  command: Argv<T>,
  choices: readonly Format[],
  inPipe: 'NDJSON' | 'the same',
) {
  return command
    .option('format', {
      choices,
      describe: `How it is printed (default: text for people on a terminal, ${inPipe} in a pipe)`,
    })
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON document' });
}
