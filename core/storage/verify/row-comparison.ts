import type { IssueId } from '../../event/ids.js';
import type { LoadedIndex } from '../index/checkpoint/load-index.js';
import { RowWalk } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type EventRow, keyOfLine } from '../index/segments/event-segment.js';

/** Rows of one partition with the same kind of difference. */
export interface RowDifference {
  rows: number;
  readonly first: EventRow;
}

/** Compares the rows of an index with those of one being rebuilt; call `afterCommit` after each commit, then `finish`. */
export class RowComparison {
  /** Rows of the index without a line in the record, by folder of the partition. */
  readonly extra = new Map<string, RowDifference>();
  /** Lines of the record without a row in the index, likewise. */
  readonly missing = new Map<string, RowDifference>();
  /** Rows that differ from their line in the record, likewise. */
  readonly wrong = new Map<string, RowDifference>();
  /** Issues of all these rows: their counts cannot be right. */
  readonly touched = new Set<IssueId>();
  readonly #loaded: LoadedIndex;
  readonly #rebuilt: IndexContent;
  /** Of the loaded index. */
  readonly #rows: RowWalk;
  #comparedMicros = 0;

  constructor(loaded: LoadedIndex, rebuilt: IndexContent) {
    this.#loaded = loaded;
    this.#rebuilt = rebuilt;
    this.#rows = new RowWalk(loaded.content);
  }

  async afterCommit(): Promise<void> {
    const instant = this.#rebuilt.lastReceivedAtMicros;
    if (instant === this.#comparedMicros || instant > this.#loaded.manifest.cursorMicros) return;
    this.#comparedMicros = instant;
    await this.#addExtraUntil(instant - 1);
    const indexed: EventRow[] = [];
    for await (const row of this.#rowsUntil(instant)) indexed.push(row);
    this.#compare(indexed, this.#rebuilt.segments.open.rowsAfter(instant - 1).reverse());
  }

  async finish(): Promise<void> {
    await this.#addExtraUntil(Number.POSITIVE_INFINITY);
  }

  /** One by one, because a lost partition may have very many. */
  async #addExtraUntil(instant: number): Promise<void> {
    for await (const row of this.#rowsUntil(instant)) this.#addExtra(row);
  }

  async *#rowsUntil(instant: number): AsyncGenerator<EventRow> {
    for (let row = await this.#rows.peek(false); row !== undefined; row = await this.#rows.peek(false)) {
      if (row.receivedAtMicros > instant) break;
      yield row;
      this.#rows.advance();
    }
  }

  #compare(indexed: readonly EventRow[], recorded: readonly EventRow[]): void {
    if (indexed.length === recorded.length && recorded.every((row, at) => this.#isEqual(indexed[at], row))) return;
    const byKey = new Map(indexed.map((row) => [keyOfLine(row), row]));
    for (const row of recorded) {
      const other = byKey.get(keyOfLine(row));
      byKey.delete(keyOfLine(row));
      if (other === undefined) this.#add(this.missing, row, issueOf(this.#rebuilt, row));
      else if (!this.#isEqual(other, row)) {
        this.#add(this.wrong, row, issueOf(this.#loaded.content, other), issueOf(this.#rebuilt, row));
      }
    }
    for (const row of byKey.values()) this.#addExtra(row);
  }

  #isEqual(indexed: EventRow | undefined, recorded: EventRow): boolean {
    return (
      indexed !== undefined &&
      indexed.line === recorded.line &&
      indexed.offset === recorded.offset &&
      indexed.bytes === recorded.bytes &&
      indexed.eventTimeMs === recorded.eventTimeMs &&
      indexed.weight === recorded.weight &&
      indexed.repeats === recorded.repeats &&
      indexed.partition.folder === recorded.partition.folder &&
      issueOf(this.#loaded.content, indexed) === issueOf(this.#rebuilt, recorded)
    );
  }

  #addExtra(row: EventRow): void {
    this.#add(this.extra, row, issueOf(this.#loaded.content, row));
  }

  #add(differences: Map<string, RowDifference>, row: EventRow, ...issues: (IssueId | undefined)[]): void {
    const difference = differences.get(row.partition.folder);
    if (difference === undefined) differences.set(row.partition.folder, { rows: 1, first: row });
    else difference.rows += 1;
    for (const issue of issues) if (issue !== undefined) this.touched.add(issue);
  }
}

function issueOf(content: IndexContent, { ordinal }: EventRow): IssueId | undefined {
  return content.issues.inOrder[ordinal]?.issueId;
}
