import { hash } from 'node:crypto';
import type { ScanExtent } from '../../generated/reader-answers.js';
import type { EventListOptions } from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { isJsonObject, type JsonValue, parseJson } from '../event/json.js';
import { pageLimit } from '../storage/issue-queries/page-cursor.js';
import { addNumbers } from './merge-issues.js';
import type { SourceReader } from './source.js';
import { type SourceGroup, type SourceResults, unreachableFault } from './source-group.js';

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
const NO_ROWS = { rows: [], nextCursor: null };

interface Position {
  readonly starts: readonly Start[];
  /** Key of the last listed row. */
  readonly last?: string | undefined;
}

/** A row of a merged list, with the source that has it. */
interface MergedListRow<Row> {
  readonly row: Row;
  readonly source: string;
}

interface MergedListPage<Row> {
  readonly rows: readonly MergedListRow<Row>[];
  readonly nextCursor: string | null;
  /** Sums over all sources. */
  readonly extents: SearchExtents;
  /** Whether all sources were read to their end. */
  readonly isComplete: boolean;
}

/** A page ends after this time, full or not; a search takes 200 ms for a page. */
const BUDGET_MS = 400;

/** Merges one page; undefined if no source has the list. Throws request faults, and `COLLECTOR_UNREACHABLE` if no owner responds. */
export async function mergePages<Row>(
  group: SourceGroup,
  listing: MergedListing<Row>,
  { cursor, ...options }: EventListOptions,
): Promise<MergedListPage<Row> | undefined> {
  const { links } = group;
  const limit = pageLimit(options.limit);
  const list = listKey([listing.name, options.query ?? ''], links);
  let position: Position =
    cursor === undefined ? { starts: links.map(() => FIRST) } : decodeMergedCursor(list, cursor, links.length);
  const rows: MergedListRow<Row>[] = [];
  const endsAtMs = performance.now() + BUDGET_MS;
  for (;;) {
    const round = await readPages(group, listing, position.starts, { ...options, limit });
    if (cursor === undefined && rows.length === 0 && isUnknown(round)) return undefined;
    const pages = new Map(round.results.map(({ link, value }) => [link.name, value ?? NO_ROWS]));
    const next = newestRows(pages, listing.keyOf, position.last, limit - rows.length);
    rows.push(...next.rows);
    const last = next.lastKey ?? position.last;
    const isListed = (row: Row, source: string): boolean => last !== undefined && listing.keyOf(row, source) >= last;
    position = { last, starts: startsAfter(links, position.starts, pages, isListed) };
    const isOver = links.every(({ name }, index) => position.starts[index]?.after === false || !pages.has(name));
    if (isOver || rows.length >= limit || performance.now() >= endsAtMs) {
      return {
        rows,
        nextCursor: isOver ? null : encodeMergedCursor(list, position),
        extents: { scanned: sumOf(position, 'scanned'), total: sumOf(position, 'total') },
        isComplete: isOver && round.faults.length === 0,
      };
    }
  }
}

/** Reads the next page of every source that is not at its end. */
async function readPages<Row>(
  group: SourceGroup,
  { name, page }: MergedListing<Row>,
  starts: readonly Start[],
  options: EventListOptions,
): Promise<SourceResults<SourcePage<Row> | undefined>> {
  const afters = new Map(group.links.map((link, index) => [link, (starts[index] ?? FIRST).after]));
  const unread = group.links.filter((link) => afters.get(link) !== false);
  return await group.queryEach(unread, (link) => {
    const after = afters.get(link);
    const request = { ...options, ...(typeof after === 'string' && { cursor: after }) };
    return link.query(`${name} ${JSON.stringify(request)}`, (reader) => page(reader, request));
  });
}

/** Whether no source has the list; throws `unreachableFault` if one that did not respond may have it. */
function isUnknown({ results, faults }: SourceResults<object | undefined>): boolean {
  if (results.some(({ value }) => value !== undefined)) return false;
  if (faults.length > 0) throw unreachableFault(faults);
  return true;
}

/** The newest rows of some pages, by source, that come after the last listed one and before any row that was not read. */
function newestRows<Row>(
  pages: ReadonlyMap<string, SourcePage<Row>>,
  keyOf: MergedListing<Row>['keyOf'],
  last: string | undefined,
  limit: number,
): { readonly rows: readonly MergedListRow<Row>[]; readonly lastKey: string | undefined } {
  const byKey = new Map<string, MergedListRow<Row>>();
  /** Unread rows may have this key or a lower one. */
  let unreadFrom = '';
  for (const [source, { rows, nextCursor }] of pages) {
    for (const row of rows) byKey.set(keyOf(row, source), { row, source });
    const end = rows.at(-1);
    const endKey = end === undefined ? HIGHEST_KEY : keyOf(end, source);
    if (nextCursor !== null && endKey > unreadFrom) unreadFrom = endKey;
  }
  const keys = [...byKey.keys()]
    .filter((key) => key >= unreadFrom && (last === undefined || key < last))
    .sort()
    .reverse()
    .slice(0, limit);
  return { rows: keys.flatMap((key) => byKey.get(key) ?? []), lastKey: keys.at(-1) };
}

const HIGHEST_KEY = '\uffff';

/** Where each source goes on: behind its page if all rows of it are listed, else where it began. */
function startsAfter<Row>(
  links: readonly { readonly name: string }[],
  starts: readonly Start[],
  pages: ReadonlyMap<string, SourcePage<Row>>,
  isListed: (row: Row, source: string) => boolean,
): readonly Start[] {
  return links.map(({ name }, index) => {
    const start = starts[index] ?? FIRST;
    const page = pages.get(name);
    if (page === undefined) return start;
    const { rows, nextCursor, extents } = page;
    const after = rows.every((row) => isListed(row, name)) ? (nextCursor ?? false) : start.after;
    return { after, ...(extents && { extents }) };
  });
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
