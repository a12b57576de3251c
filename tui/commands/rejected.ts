import { parseDuration } from '../../config/values/duration.js';
import { ValueError } from '../../config/values/value-error.js';
import { Fault } from '../../core/event/fault.js';
import type { DeadLetter, DeadLetterContent } from '../../core/storage/dead-letters/dead-letter.js';
import { type DeadLetterLine, readDeadLetters } from '../../core/storage/dead-letters/read-dead-letters.js';
import type { Column } from '../text/columns.js';
import { escapeHidden } from '../text/json-text.js';
import { clockTime } from '../text/time-words.js';
import { checkLimit } from './collect-pages.js';
import { printTable } from './print-table.js';
import { type PrintingOptions, runPrinting } from './printing-command.js';
import { print } from './text-output.js';

export interface RejectedOptions extends PrintingOptions {
  /** The data folder. */
  directory: string;
  code?: string | undefined;
  receiver?: string | undefined;
  /** Age of the oldest record, such as `24h`. */
  since?: string | undefined;
  /** Default: 50 in a table, all as NDJSON. */
  limit?: number | undefined;
}

type RejectedEntry = Extract<DeadLetterLine, { kind: 'record' }>;

const TABLE_ROWS = 50;

/**
 * Prints dead letters, newest first: a table on a terminal, else or with `json` the stored records.
 * Standard error reports what was left out. Returns the exit code.
 */
export function runRejected(options: RejectedOptions): Promise<number> {
  const { json, env, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const isTable = stdout.isTTY === true && !json;
    const limit = options.limit ?? (isTable ? TABLE_ROWS : Number.POSITIVE_INFINITY);
    const found = findRejected(options, limit);
    const rows: RejectedRow[] = [];
    let printed = 0;
    let end = await found.next();
    for (; end.done !== true; end = await found.next()) {
      if (isTable) rows.push(rejectedRow(end.value.record));
      else await print(stdout, recordText(end.value.line, stdout.isTTY === true));
      printed += 1;
    }
    if (rows.length > 0) await printTable(stdout, env, REJECTED_COLUMNS, rows);
    const { damaged, hasMore } = end.value;
    if (printed === 0) await print(stderr, 'No rejected payloads.\n');
    if (hasMore) await print(stderr, `${printed} shown; --limit shows more.\n`);
    if (damaged > 0) await print(stderr, `${damaged} damaged ${damaged === 1 ? 'line was' : 'lines were'} skipped.\n`);
  });
}

interface SearchEnd {
  readonly damaged: number;
  readonly hasMore: boolean;
}

async function* findRejected(options: RejectedOptions, limit: number): AsyncGenerator<RejectedEntry, SearchEnd> {
  const { directory, code, receiver } = options;
  const notBeforeMs = sinceMs(options.since);
  if (limit !== Number.POSITIVE_INFINITY) checkLimit(limit);
  let damaged = 0;
  let chosen = 0;
  for await (const line of readDeadLetters({ directory, notBeforeMs })) {
    if (line.kind === 'damaged') {
      damaged += 1;
      continue;
    }
    const { record } = line;
    if ((code ?? record.code) !== record.code || (receiver ?? record.receiver) !== record.receiver) continue;
    if (chosen === limit) return { damaged, hasMore: true };
    chosen += 1;
    yield line;
  }
  return { damaged, hasMore: false };
}

function sinceMs(since: string | undefined): number | undefined {
  if (since === undefined) return undefined;
  try {
    return Date.now() - parseDuration(since);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new Fault('ARGUMENT_INVALID', `--since ${since} is not a duration such as 30m or 24h: ${error.message}.`);
  }
}

/** The stored line. On a terminal hidden characters are escaped, which does not change the JSON value. */
function recordText(line: Buffer, isTerminal: boolean): string {
  const text = `${line.toString()}\n`;
  return isTerminal ? escapeHidden(text) : text;
}

interface RejectedRow extends Pick<DeadLetter, 'rejectedAt' | 'receiver' | 'code' | 'field' | 'reason'> {
  /** Start of the stored content, at most `MAX_START_LENGTH`. */
  readonly start: string;
}

const WIDE = 120;
const MAX_START_LENGTH = 2_000;

const REJECTED_COLUMNS: readonly Column<RejectedRow>[] = [
  { heading: 'TIME (UTC)', cells: 14, text: ({ rejectedAt }) => clockTime(rejectedAt, 'short') },
  { heading: 'RECEIVER', cells: (width) => (width < WIDE ? 8 : 16), text: ({ receiver }) => receiver },
  { heading: 'CODE', cells: 15, text: ({ code }) => code },
  { heading: 'FIELD', cells: (width) => (width < WIDE ? 10 : 16), text: ({ field }) => field },
  { heading: 'REASON', cells: (width) => (width < WIDE ? 16 : 30), text: ({ reason }) => reason },
  { heading: 'PAYLOAD', cells: 'rest', text: ({ start }) => start },
];

/** The content is cut, so that many rows need little memory. */
function rejectedRow({ rejectedAt, receiver, code, field, reason, content }: DeadLetter): RejectedRow {
  return { rejectedAt, receiver, code, field, reason, start: startOf(content) };
}

function startOf(content: DeadLetterContent | undefined): string {
  if (content === undefined) return '';
  const text = content.kind === 'payload' ? JSON.stringify(content.value) : content.value;
  return text.slice(0, MAX_START_LENGTH);
}
