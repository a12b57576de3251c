import { printableJson } from '../../config/values/printable.js';
import { readPages } from '../../core/contract/read-pages.js';
import { cutText } from '../../core/event/text.js';
import type { RejectedPage, RejectedRecord } from '../../generated/reader-answers.js';
import type { Column } from '../text/columns.js';
import { clockTime } from '../text/moments.js';
import { findSince } from './find-since.js';
import { printTable } from './print-table.js';
import { checkLimit, type PrintingOptions, runPrinting } from './printing-command.js';
import { print, type TextOutput } from './text-output.js';

export interface RejectedOptions extends PrintingOptions {
  code?: string | undefined;
  receiver?: string | undefined;
  /** Only records since a duration, a date or a release. */
  since?: string | undefined;
  /** Default: 50 in a table, all as NDJSON. */
  limit?: number | undefined;
}

const TABLE_ROWS = 50;
const PAGE_ROWS = 500;

/** Prints rejected payloads, newest first, as a table or NDJSON, and to standard error what was left out. Returns the exit code. */
export function runRejected(options: RejectedOptions): Promise<number> {
  const { json, env, stdout, stderr } = options;
  return runPrinting(options, async () => {
    const isTerminal = stdout.isTTY === true;
    const isTable = isTerminal && !json;
    const limit = options.limit ?? (isTable ? TABLE_ROWS : Number.POSITIVE_INFINITY);
    if (limit !== Number.POSITIVE_INFINITY) checkLimit(limit);
    const rows: RejectedRow[] = [];
    const listed = await forEachRejected(options, limit, async (record) => {
      if (isTable) rows.push(rejectedRow(record));
      else await print(stdout, recordText(record, isTerminal));
    });
    if (rows.length > 0) await printTable(stdout, env, REJECTED_COLUMNS, rows);
    await printLeftOut(stderr, listed);
  });
}

interface RejectedCounts {
  readonly printed: number;
  readonly damaged: number;
  readonly hasMore: boolean;
}

/** Calls `use` with at most `limit` records, newest first. */
async function forEachRejected(
  options: RejectedOptions,
  limit: number,
  use: (record: RejectedRecord) => Promise<void>,
): Promise<RejectedCounts> {
  let printed = 0;
  let damaged = 0;
  for await (const page of rejectedPages(options)) {
    damaged += page.damaged;
    const hasMore = printed + page.rejected.length > limit;
    for (const record of page.rejected.slice(0, limit - printed)) {
      await use(record);
      printed += 1;
    }
    if (hasMore) return { printed, damaged, hasMore };
  }
  return { printed, damaged, hasMore: false };
}

async function printLeftOut(stderr: TextOutput, { printed, damaged, hasMore }: RejectedCounts): Promise<void> {
  if (printed === 0) await print(stderr, 'No rejected payloads.\n');
  if (hasMore) await print(stderr, `${printed} shown; --limit shows more.\n`);
  if (damaged > 0) await print(stderr, `${damaged} damaged ${damaged === 1 ? 'line was' : 'lines were'} skipped.\n`);
}

async function* rejectedPages({ reader, code, receiver, since }: RejectedOptions): AsyncGenerator<RejectedPage> {
  const notBeforeMs =
    since === undefined ? Number.NEGATIVE_INFINITY : Date.parse((await findSince(async () => reader, since)).from);
  for await (const page of readPages((cursor) => reader.listRejected({ limit: PAGE_ROWS, cursor }))) {
    const rejected = page.rejected.filter((one) => {
      const isNew = Date.parse(one.rejected_at) >= notBeforeMs;
      return isNew && (code ?? one.code) === one.code && (receiver ?? one.receiver) === one.receiver;
    });
    yield { ...page, rejected };
    const last = page.rejected.at(-1);
    if (last !== undefined && Date.parse(last.rejected_at) < notBeforeMs) return;
  }
}

/** The record as it is kept. On a terminal hidden characters are escaped, which does not change the JSON value. */
function recordText({ id: _id, ...record }: RejectedRecord, isTerminal: boolean): string {
  const text = `${JSON.stringify(record)}\n`;
  return isTerminal ? printableJson(text) : text;
}

const WIDE = 120;
const MAX_START_LENGTH = 2_000;

const REJECTED_COLUMNS: readonly Column<RejectedRow>[] = [
  { heading: 'TIME (UTC)', cells: 14, text: (row) => clockTime(row.rejected_at, 'short') },
  { heading: 'RECEIVER', cells: (width) => (width < WIDE ? 8 : 16), text: ({ receiver }) => receiver },
  { heading: 'CODE', cells: 15, text: ({ code }) => code },
  { heading: 'FIELD', cells: (width) => (width < WIDE ? 10 : 16), text: ({ field }) => field },
  { heading: 'REASON', cells: (width) => (width < WIDE ? 16 : 30), text: ({ reason }) => reason },
  { heading: 'PAYLOAD', cells: 'rest', text: ({ start }) => start },
];

interface RejectedRow extends Omit<RejectedRecord, 'payload' | 'text' | 'base64'> {
  /** The beginning of the content: many rows need little memory. */
  readonly start: string;
}

function rejectedRow({ payload, text, base64, ...row }: RejectedRecord): RejectedRow {
  return { ...row, start: cutText(text ?? base64 ?? JSON.stringify(payload) ?? '', MAX_START_LENGTH) };
}
