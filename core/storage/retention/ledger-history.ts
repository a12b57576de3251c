import { join } from 'node:path';
import { type StoreFiles, withFile } from '../files/store-files.js';
import { NOTHING_REMOVED, type Removal, type RemovalHistory, type RemovedTotals } from '../index/content/removal.js';
import { type EntryState, LEDGER_FILE, parseLedgerLine } from './ledger-line.js';
import { scanLedger } from './scan-ledger.js';

/** More than the longest line that ends an entry. */
const TAIL_BYTES = 4096;

interface LedgerTail extends EntryState {
  /** Of the file. */
  readonly bytes: number;
  /** Whether all removed partitions are deleted. */
  readonly isDone: boolean;
}

/** Reads the last line of a ledger; undefined if the last entry is being written, or is torn. */
export async function readLedgerTail(files: StoreFiles, directory: string): Promise<LedgerTail | undefined> {
  const path = join(directory, LEDGER_FILE);
  const nothing: LedgerTail = { totals: NOTHING_REMOVED, issueLines: 0, bytes: 0, isDone: true };
  if ((await files.stat(path)) === undefined) return nothing;
  return await withFile(files, path, 'read', async (file) => {
    const bytes = await file.size();
    if (bytes === 0) return nothing;
    const from = Math.max(0, bytes - TAIL_BYTES);
    const text = (await file.read(from, bytes - from)).toString('utf8');
    if (!text.endsWith('\n')) return undefined;
    const end = parseLedgerLine(text.slice(text.lastIndexOf('\n', text.length - 2) + 1));
    if (end === undefined || end.kind === 'issue' || end.kind === 'partition') return undefined;
    return { totals: end.totals, issueLines: end.issueLines, bytes, isDone: end.kind !== 'removed' };
  });
}

/** The ledger of a folder that another process may be writing. */
export class LedgerHistory implements RemovalHistory {
  readonly #files: StoreFiles;
  readonly #directory: string;
  #lastTail: LedgerTail | undefined;

  constructor(files: StoreFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  async totals(): Promise<RemovedTotals | undefined> {
    // A follower calls this twice a second, so an unchanged file costs one stat.
    const bytes = (await this.#files.stat(join(this.#directory, LEDGER_FILE)))?.bytes ?? 0;
    if (this.#lastTail?.bytes === bytes) return this.#lastTail.totals;
    const tail = await readLedgerTail(this.#files, this.#directory);
    this.#lastTail = tail ?? this.#lastTail;
    return tail?.totals;
  }

  removals(): AsyncIterable<Removal> {
    return readRemovals(this.#files, this.#directory);
  }
}

/** Yields the removals in a ledger, oldest first. */
export async function* readRemovals(files: StoreFiles, directory: string): AsyncGenerator<Removal> {
  for await (const entry of scanLedger({ files, directory })) {
    const { end, issues } = entry;
    if (end.kind === 'done') continue;
    yield { totals: end.totals, throughMicros: end.throughMicros, isSummary: end.kind === 'summary', issues };
  }
}
