import { parseDuration } from '../../config/values/duration.js';
import { ValueError } from '../../config/values/value-error.js';
import { Fault } from '../../core/event/fault.js';
import type { RejectedContent, RejectedRecord } from '../../core/storage/dead-letters/dead-letter.js';
import { type RejectedLine, readRejected } from '../../core/storage/dead-letters/read-rejected.js';
import type { Column } from '../text/columns.js';
import { escapeHidden } from '../text/json-text.js';
import { clockTime } from '../text/time-words.js';
import { printTable } from './print-table.js';
import { type PrintingOptions, runPrinting } from './run-printing.js';
import { print } from './text-output.js';

export interface RejectedOptions extends PrintingOptions {
  /** The data folder. */
  directory: string;
  /** Only what was rejected with this code. */
  code?: string | undefined;
  /** Only what this receiver rejected. */
  receiver?: string | undefined;
  /** Only what was rejected within this duration, as a person typed it. */
  since?: string | undefined;
  /** At most so many; absent: 50 in a table, all as NDJSON. */
  limit?: number | undefined;
}

type RejectedEntry = Extract<RejectedLine, { kind: 'record' }>;

const TABLE_ROWS = 50;

/**
 * Prints what was rejected, newest first: a table on a terminal, else or with `json` the records as they stand in their files.
 * Says on standard error what was left out. Answers the exit code.
 */
export function runRejected(options: RejectedOptions): Promise<number> {
  const { json, env, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const isTable = stdout.isTTY === true && !json;
    const limit = options.limit ?? (isTable ? TABLE_ROWS : Number.POSITIVE_INFINITY);
    const found = chooseRejected(options, limit);
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
    if (printed === 0) await print(stderr, 'No rejected payload is kept here that matches.\n');
    if (hasMore) await print(stderr, `There are older ones than these ${printed}; --limit shows more.\n`);
    if (damaged > 0) await print(stderr, `Damaged lines that were passed over: ${damaged}.\n`);
  });
}

interface ChoiceEnd {
  readonly damaged: number;
  readonly hasMore: boolean;
}

async function* chooseRejected(options: RejectedOptions, limit: number): AsyncGenerator<RejectedEntry, ChoiceEnd> {
  const { directory, code, receiver } = options;
  const notBeforeMs = sinceMs(options.since);
  if (limit !== Number.POSITIVE_INFINITY && (!Number.isInteger(limit) || limit < 1)) {
    throw new Fault('ARGUMENT_INVALID', `--limit ${limit} is no count; give a whole number from 1 on.`);
  }
  let damaged = 0;
  let chosen = 0;
  for await (const line of readRejected({ directory, notBeforeMs })) {
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
    throw new Fault('ARGUMENT_INVALID', `--since ${since} is no duration such as 30m or 24h: ${error.message}.`);
  }
}

/** The record as it stands in its file; on a terminal hidden characters are escaped, which is still the same JSON. */
function recordText(line: Buffer, isTerminal: boolean): string {
  const text = `${line.toString()}\n`;
  return isTerminal ? escapeHidden(text) : text;
}

/** A rejected payload as a row shows it. */
interface RejectedRow extends Pick<RejectedRecord, 'rejectedAt' | 'receiver' | 'code' | 'field' | 'reason'> {
  /** What was kept, from its beginning; at most as much as the widest terminal shows. */
  readonly start: string;
}

const WIDE = 120;
const MAX_START_LENGTH = 2_000;

/** The columns of `faultline rejected`. */
const REJECTED_COLUMNS: readonly Column<RejectedRow>[] = [
  { heading: 'TIME (UTC)', cells: 14, text: ({ rejectedAt }) => clockTime(rejectedAt, 'short') },
  { heading: 'RECEIVER', cells: (width) => (width < WIDE ? 8 : 16), text: ({ receiver }) => receiver },
  { heading: 'CODE', cells: 15, text: ({ code }) => code },
  { heading: 'FIELD', cells: (width) => (width < WIDE ? 10 : 16), text: ({ field }) => field },
  { heading: 'REASON', cells: (width) => (width < WIDE ? 16 : 30), text: ({ reason }) => reason },
  { heading: 'PAYLOAD', cells: 'rest', text: ({ start }) => start },
];

/** The row of a record; what it kept is cut, so that many rows take little memory. */
function rejectedRow({ rejectedAt, receiver, code, field, reason, content }: RejectedRecord): RejectedRow {
  return { rejectedAt, receiver, code, field, reason, start: startOf(content) };
}

function startOf(content: RejectedContent | undefined): string {
  if (content === undefined) return '';
  const text = content.kind === 'payload' ? JSON.stringify(content.value) : content.value;
  return text.slice(0, MAX_START_LENGTH);
}
