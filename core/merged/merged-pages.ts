import { hash } from 'node:crypto';
import type { ScanExtent } from '../../generated/reader-answers.js';
import type { EventListOptions } from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { isJsonObject, type JsonValue, parseJson } from '../event/json.js';
import { pageLimit } from '../storage/issue-queries/page-cursor.js';
import { addNumbers } from './merge-issues.js';
import type { SourceReader } from './source.js';
import { type SourceGroup, unreachableFault } from './source-group.js';

/** What a search looked at, and what there is. */
export type SearchExtents = Readonly<Record<'scanned' | 'total', ScanExtent>>;

interface SourcePage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
  readonly extents?: SearchExtents;
}

/** A list of rows, newest first, that every source has in pages. */
export interface MergedListing<Row> {
  readonly name: string;
  /** Returns a page of one source; undefined if it does not have the list. */
  readonly page: (reader: SourceReader, options: EventListOptions) => Promise<SourcePage<Row> | undefined>;
  /** Descends in the list of each source; rows with equal keys are one. */
  readonly keyOf: (row: Row, source: string) => string;
}

/** Where a source goes on; `extents` are those of its last page. */
interface Start {
  readonly after: SourceCursor;
  readonly extents?: SearchExtents;
}

const FIRST: Start = { after: null };
const NO_ROWS = { rows: [], nextCursor: null, extents: undefined };

interface Position {
  readonly starts: readonly Start[];
  /** Key of the last listed row. */
  readonly last?: string | undefined;
}

/** A page ends after this time, full or not; a search takes 200 ms for a page. */
const BUDGET_MS = 400;

/** Merges one page; undefined if no source has the list. Throws request faults, and `COLLECTOR_UNREACHABLE` if no owner responds. */
export async function mergePages<Row>(
  group: SourceGroup,
  { name, page, keyOf }: MergedListing<Row>,
  { cursor, ...options }: EventListOptions,
) {
  const { links } = group;
  const limit = pageLimit(options.limit);
  const list = listKey([name, options.query ?? ''], links);
  let position: Position =
    cursor === undefined ? { starts: links.map(() => FIRST) } : decodeMergedCursor(list, cursor, links.length);
  const rows: { row: Row; source: string }[] = [];
  const endsAtMs = performance.now() + BUDGET_MS;
  for (;;) {
    const { starts, last } = position;
    const startOf = new Map(links.map((link, index) => [link, starts[index] ?? FIRST]));
    const unread = links.filter((link) => startOf.get(link)?.after !== false);
    const { results, faults } = await group.queryEach(unread, (link) => {
      const after = startOf.get(link)?.after;
      const request = { ...options, limit, ...(typeof after === 'string' && { cursor: after }) };
      return link.query(`${name} ${JSON.stringify(request)}`, (reader) => page(reader, request));
    });
    const pages = new Map(results.map(({ link, value }) => [link, value]));
    if (cursor === undefined && rows.length === 0 && results.every(({ value }) => value === undefined)) {
      if (faults.length > 0) throw unreachableFault(faults);
      return undefined;
    }
    const found = results.map(({ link, value }) => ({ ...(value ?? NO_ROWS), source: link.name }));
    // Behind an unfinished page, rows may be as new as its last one.
    const safe = found.map(({ rows: read, nextCursor, source }) => {
      const end = read.at(-1);
      return nextCursor === null ? '' : end === undefined ? '\uffff' : keyOf(end, source);
    });
    const newest = safe.sort().at(-1) ?? '';
    const keyed = found.flatMap(({ rows: read, source }) =>
      read.map((row) => ({ row, source, key: keyOf(row, source) })),
    );
    const unlisted = keyed.filter(({ key }) => key >= newest && (last === undefined || key < last));
    const byKey = new Map(unlisted.map(({ key, ...one }) => [key, one]));
    const keys = [...byKey.keys()]
      .sort()
      .reverse()
      .slice(0, limit - rows.length);
    rows.push(...keys.flatMap((key) => byKey.get(key) ?? []));
    const end = keys.at(-1) ?? last;
    position = {
      last: end,
      starts: links.map((link) => {
        const start = startOf.get(link) ?? FIRST;
        if (!pages.has(link)) return start;
        const { rows: read, nextCursor, extents } = pages.get(link) ?? NO_ROWS;
        const isListed = read.every((row) => end !== undefined && keyOf(row, link.name) >= end);
        return { after: isListed ? (nextCursor ?? false) : start.after, ...(extents && { extents }) };
      }),
    };
    const isOver = links.every((link, index) => position.starts[index]?.after === false || !pages.has(link));
    if (!isOver && rows.length < limit && performance.now() < endsAtMs) continue;
    return {
      rows,
      nextCursor: isOver ? null : encodeMergedCursor(list, position),
      /** Sums over all sources. */
      extents: { scanned: sumOf(position, 'scanned'), total: sumOf(position, 'total') },
      /** Whether all sources were read to their end. */
      isComplete: isOver && faults.length === 0,
    };
  }
}

function sumOf({ starts }: Position, of: keyof SearchExtents): ScanExtent {
  return starts.flatMap(({ extents }) => extents?.[of] ?? []).reduce(addNumbers, { events: 0, bytes: 0 });
}

/** Where the list of a source goes on: null at its first page, false at its end. */
export type SourceCursor = string | null | false;

const HASH_LENGTH = 12;

/** Identifies a list of some sources in its cursors. */
export function listKey(list: readonly string[], sources: readonly { readonly name: string }[]): string {
  return hash('sha256', JSON.stringify([list, sources.map(({ name }) => name)]), 'hex').slice(0, HASH_LENGTH);
}

/** Encodes the start of the next page of a merged list, whose key is `listKey`. */
export function encodeMergedCursor(key: string, position: object): string {
  return Buffer.from(JSON.stringify([key, position])).toString('base64url');
}

/** Decodes a cursor. Throws `CURSOR_INVALID`, also for a cursor of another list or of other sources. */
export function decodeMergedCursor<Position extends { readonly starts: readonly unknown[] }>(
  key: string,
  cursor: string,
  sources: number,
): Position {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (Array.isArray(value) && value[0] === key && isPosition(value[1], sources))
    return value[1] as Position & JsonValue;
  throw new Fault('CURSOR_INVALID', 'The cursor does not belong to this list; start again without one.');
}

/** Clients may send anything as a cursor, so the parts that the lists rely on are checked. */
function isPosition(value: JsonValue | undefined, sources: number): boolean {
  if (!isJsonObject(value) || !Array.isArray(value['starts']) || value['starts'].length !== sources) return false;
  const { starts, shown = '', last = '' } = value;
  const cursors = starts.map((start) => (isJsonObject(start) ? start['after'] : start) ?? false);
  return (
    [shown, last].every((text) => typeof text === 'string') &&
    cursors.every((one) => one === false || typeof one === 'string')
  );
}
