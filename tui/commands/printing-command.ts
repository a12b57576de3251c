import type { Argv } from 'yargs';
import { DEFAULT_BRIEF_TOKENS, MAX_BRIEF_TOKENS, MIN_BRIEF_TOKENS } from '../../core/brief/brief.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { RowPage } from '../state/paged-list.js';
import { flag } from './command-context.js';
import { errorJson, errorText, print, type TextOutput } from './text-output.js';

/** What every printing command gets. */
export interface PrintingOptions {
  reader: FailureReader;
  /** One JSON document instead of text for people. */
  json: boolean;
  env: NodeJS.ProcessEnv;
  stdout: TextOutput;
  stderr: TextOutput;
}

export const LIST_FORMATS = ['table', 'ndjson'] as const;
type ListFormat = (typeof LIST_FORMATS)[number];
/** Formats of one issue or event. */
export const DETAIL_FORMATS = [...LIST_FORMATS, 'markdown', 'brief'] as const;
type DetailFormat = (typeof DETAIL_FORMATS)[number];

export interface FormattedOptions<Format = ListFormat> extends PrintingOptions {
  /** Default: a table on a terminal, NDJSON elsewhere. */
  format?: Format | undefined;
}

/** What the commands that print one issue or event get. */
export interface DetailOptions extends FormattedOptions<DetailFormat> {
  /** Of a brief; default 2,000. */
  maxTokens?: number | undefined;
}

/** The budget of a brief. Throws `ARGUMENT_INVALID` if it is out of range or the format is another. */
export function maxTokensOf({ maxTokens, format }: DetailOptions): number {
  if (maxTokens === undefined) return DEFAULT_BRIEF_TOKENS;
  const isInRange = maxTokens >= MIN_BRIEF_TOKENS && maxTokens <= MAX_BRIEF_TOKENS;
  if (format === 'brief' && Number.isInteger(maxTokens) && isInRange) return maxTokens;
  const range = `${MIN_BRIEF_TOKENS} to ${MAX_BRIEF_TOKENS}`;
  throw new Fault('ARGUMENT_INVALID', `--max-tokens is a whole number from ${range}, with --format brief.`);
}

/** Exit codes of commands; `usage` means that the call itself is wrong. */
export const EXIT_CODES = { done: 0, failed: 1, usage: 2 } as const;

const USAGE_FAULTS: ReadonlySet<string> = new Set(['QUERY_INVALID', 'ARGUMENT_INVALID']);

/** Runs a command and returns its exit code; a Fault is printed, as JSON with `json`, any other error is rethrown. */
export async function runPrinting(
  { stderr, json = false }: { stderr: TextOutput; json?: boolean },
  run: () => Promise<void>,
): Promise<number> {
  try {
    await run();
    return EXIT_CODES.done;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await print(stderr, json ? errorJson(error) : errorText(error));
    return USAGE_FAULTS.has(error.code) ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}

/** The output format; `document` is one JSON document (`--json`). Throws `ARGUMENT_INVALID` if both options are set. */
export function chooseFormat<Format>({
  json,
  format,
  stdout,
}: FormattedOptions<Format>): Format | ListFormat | 'document' {
  if (json && format !== undefined) {
    throw new Fault('ARGUMENT_INVALID', `--json prints one document; remove it or --format ${format}.`);
  }
  if (json) return 'document';
  return format ?? (stdout.isTTY === true ? 'table' : 'ndjson');
}

/** Adds `--format` and `--json`; `inPipe` names the default format without a terminal. */
export function formatOptions<T, Format extends string>(
  command: Argv<T>,
  choices: readonly Format[],
  inPipe: 'NDJSON' | 'the same',
) {
  return command
    .option('format', {
      choices,
      describe: `Output format: ${choices.join(', ')} (default: table on a terminal, ${inPipe} in a pipe)`,
    })
    .option('json', flag('Print one JSON document'));
}

/** The largest page that a reader returns. */
const MAX_PAGE_ROWS = 500;

/** Throws a Fault `ARGUMENT_INVALID` if a `--limit` is not a whole number of at least 1. */
export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1) return;
  throw new Fault('ARGUMENT_INVALID', '--limit must be a positive whole number.');
}

/** Fetches pages until `limit` rows are read or the list ends. Throws like `checkLimit`. */
export async function collectPages<Row>(
  limit: number,
  fetchPage: (page: { limit: number; cursor: string | undefined }) => Promise<RowPage<Row>>,
): Promise<RowPage<Row>> {
  checkLimit(limit);
  const rows: Row[] = [];
  let nextCursor: string | null = null;
  do {
    const size = Math.min(MAX_PAGE_ROWS, limit - rows.length);
    const page: RowPage<Row> = await fetchPage({ limit: size, cursor: nextCursor ?? undefined });
    rows.push(...page.rows);
    nextCursor = page.nextCursor;
  } while (nextCursor !== null && rows.length < limit);
  return { rows, nextCursor };
}
