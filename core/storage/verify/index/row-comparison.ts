import type { IssueId } from '../../../event/ids.js';
import type { LoadedIndex } from '../../index/checkpoint/load-index.js';
import type { IndexContent } from '../../index/content/index-content.js';
import { RowWalk } from '../../index/row-walk.js';
import { type EventRow, keyOfLine } from '../../index/segments/event-segment.js';

/** Rows of one partition with the same kind of difference. */
export interface RowDifference {
  rows: number;
  readonly first: EventRow;
}

/** Compares the rows of an index with those of one being rebuilt; call `afterCommit` after each commit, then `finish`. */
export function createRowComparison(loaded: LoadedIndex, rebuilt: IndexContent) {
  /** Rows of the index without a line in the record. */
  const extra = new Map<string, RowDifference>();
  /** Lines of the record without a row in the index. */
  const missing = new Map<string, RowDifference>();
  /** Rows that differ from their line in the record. */
  const wrong = new Map<string, RowDifference>();
  /** Issues of all these rows: their counts cannot be right. */
  const touched = new Set<IssueId>();
  const rows = new RowWalk(loaded.content);
  let comparedMicros = 0;

  function add(differences: Map<string, RowDifference>, row: EventRow, ...issues: (IssueId | undefined)[]): void {
    const known = differences.get(row.partition.folder);
    if (known === undefined) differences.set(row.partition.folder, { rows: 1, first: row });
    else known.rows += 1;
    for (const issue of issues) if (issue !== undefined) touched.add(issue);
  }

  function addExtra(row: EventRow): void {
    add(extra, row, issueOf(loaded.content, row));
  }

  /** One by one, because a lost partition may have very many. */
  async function countExtraUntil(instant: number): Promise<void> {
    for await (const row of rowsUntil(instant)) addExtra(row);
  }

  async function* rowsUntil(instant: number): AsyncGenerator<EventRow> {
    for (let row = await rows.peek(false); row !== undefined; row = await rows.peek(false)) {
      if (row.receivedAtMicros > instant) break;
      yield row;
      rows.advance();
    }
  }

  function isEqual(indexed: EventRow | undefined, recorded: EventRow): boolean {
    return (
      indexed !== undefined &&
      indexed.line === recorded.line &&
      indexed.offset === recorded.offset &&
      indexed.bytes === recorded.bytes &&
      indexed.eventTimeMs === recorded.eventTimeMs &&
      indexed.weight === recorded.weight &&
      indexed.isRepeat === recorded.isRepeat &&
      indexed.partition.folder === recorded.partition.folder &&
      issueOf(loaded.content, indexed) === issueOf(rebuilt, recorded)
    );
  }

  function compare(indexed: readonly EventRow[], recorded: readonly EventRow[]): void {
    if (indexed.length === recorded.length && recorded.every((row, at) => isEqual(indexed[at], row))) return;
    const byKey = new Map(indexed.map((row) => [keyOfLine(row), row]));
    for (const row of recorded) {
      const found = byKey.get(keyOfLine(row));
      byKey.delete(keyOfLine(row));
      if (found === undefined) add(missing, row, issueOf(rebuilt, row));
      else if (!isEqual(found, row)) add(wrong, row, issueOf(loaded.content, found), issueOf(rebuilt, row));
    }
    for (const row of byKey.values()) addExtra(row);
  }

  return {
    ...{ extra, missing, wrong, touched },
    async afterCommit(): Promise<void> {
      const instant = rebuilt.lastReceivedAtMicros;
      if (instant === comparedMicros || instant > loaded.manifest.cursorMicros) return;
      comparedMicros = instant;
      await countExtraUntil(instant - 1);
      const indexed: EventRow[] = [];
      for await (const row of rowsUntil(instant)) indexed.push(row);
      compare(indexed, rebuilt.segments.open.rowsAfter(instant - 1).reverse());
    },
    finish: () => countExtraUntil(Number.POSITIVE_INFINITY),
  };
}

function issueOf(content: IndexContent, { ordinal }: EventRow): IssueId | undefined {
  return content.issues.inOrder[ordinal]?.issueId;
}
