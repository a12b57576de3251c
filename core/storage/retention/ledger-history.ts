import { join } from 'node:path';
import { type StoreFiles, withFile } from '../files/store-files.js';
import { NOTHING_REMOVED, type Removal, type RemovalHistory, type RemovedTotals } from '../index/content/removal.js';
import { type ClosingLine, type DoneLine, LEDGER_FILE, parseLedgerLine } from './ledger-line.js';
import { scanLedger } from './scan-ledger.js';

/** More than the longest line that ends an entry. */
const TAIL_BYTES = 4096;

type LedgerTail =
  | { readonly kind: 'none' }
  /** The last line ends an entry. */
  | { readonly kind: 'whole'; readonly end: ClosingLine | DoneLine; readonly bytes: number }
  /** The last entry is being written, or is torn. */
  | { readonly kind: 'open' };

/** Reads the last line of a ledger. */
export async function readLedgerTail(files: StoreFiles, directory: string): Promise<LedgerTail> {
  const path = join(directory, LEDGER_FILE);
  if ((await files.stat(path)) === undefined) return { kind: 'none' };
  return await withFile(files, path, 'read', async (file): Promise<LedgerTail> => {
    const bytes = await file.size();
    if (bytes === 0) return { kind: 'none' };
    const from = Math.max(0, bytes - TAIL_BYTES);
    const text = (await file.read(from, bytes - from)).toString('utf8');
    if (!text.endsWith('\n')) return { kind: 'open' };
    const end = parseLedgerLine(text.slice(text.lastIndexOf('\n', text.length - 2) + 1));
    const isEnd = end !== undefined && end.kind !== 'issue' && end.kind !== 'partition';
    return isEnd ? { kind: 'whole', end, bytes } : { kind: 'open' };
  });
}

/** Opens the ledger of a folder that another process may be writing. */
export function openLedgerHistory(files: StoreFiles, directory: string): RemovalHistory {
  let known: { readonly bytes: number; readonly totals: RemovedTotals } | undefined;
  return {
    async totals() {
      // A follower calls this twice a second, so an unchanged file costs one stat.
      const bytes = (await files.stat(join(directory, LEDGER_FILE)))?.bytes ?? 0;
      if (known?.bytes === bytes) return known.totals;
      const tail = await readLedgerTail(files, directory);
      if (tail.kind === 'open') return undefined;
      const totals = tail.kind === 'none' ? NOTHING_REMOVED : tail.end.totals;
      known = { bytes: tail.kind === 'none' ? 0 : tail.bytes, totals };
      return totals;
    },
    removals: () => readRemovals(files, directory),
  };
}

/** Yields the removals in a ledger, oldest first. */
export async function* readRemovals(files: StoreFiles, directory: string): AsyncGenerator<Removal> {
  for await (const entry of scanLedger({ files, directory })) {
    const { end, issues } = entry;
    if (end.kind === 'done') continue;
    yield { totals: end.totals, throughMicros: end.throughMicros, isSummary: end.kind === 'summary', issues };
  }
}
