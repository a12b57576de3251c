import type { DataFolder } from '../files/store-files.js';
import { NOTHING_REMOVED } from '../index/content/removal.js';
import { cutTornEnd } from '../record/io/salvage.js';
import { readLedgerTail } from './ledger-history.js';
import { LEDGER_FILE } from './ledger-line.js';
import { removeEmptyNameFolders } from './remove-partitions.js';
import { type LedgerState, RetentionLedger } from './retention-ledger.js';
import { scanLedger } from './scan-ledger.js';

interface RetentionLedgerOptions extends DataFolder {
  /** Called with Fault `RECORD_DAMAGED` for a damaged entry, and with the error that kept empty folders from being removed. */
  onFault?: ((fault: Error) => void) | undefined;
}

/**
 * Opens the ledger of a folder before anything else writes there. Moves a torn last entry to `salvage/`, and removes name folders that
 * retention left empty.
 */
export async function openRetentionLedger(options: RetentionLedgerOptions): Promise<RetentionLedger> {
  const ledger = await openLedger(options);
  if (ledger.totals.beforeMicros === 0) return ledger;
  try {
    await removeEmptyNameFolders(options.files, options.directory);
  } catch (error) {
    options.onFault?.(error instanceof Error ? error : new Error(String(error)));
  }
  return ledger;
}

async function openLedger({ directory, files, onFault }: RetentionLedgerOptions): Promise<RetentionLedger> {
  const tail = await readLedgerTail(files, directory);
  const nothing = { totals: NOTHING_REMOVED, issueLines: 0, bytes: 0, pending: [] };
  if (tail.kind === 'none') return new RetentionLedger({ directory, files }, nothing);
  // A done or summary line is written after everything before it is durable, so the rest need not be read.
  if (tail.kind === 'whole' && tail.end.kind !== 'removed') {
    return new RetentionLedger({ directory, files }, { ...tail.end, bytes: tail.bytes, pending: [] });
  }
  let state: LedgerState = nothing;
  for await (const entry of scanLedger({ directory, files, onDamage: onFault })) {
    const { totals, issueLines, kind } = entry.end;
    const removed = entry.partitions.map(({ partition }) => partition);
    const pending = kind === 'removed' ? [...state.pending, ...removed] : [];
    state = { totals, issueLines, bytes: entry.endsAt, pending };
  }
  await cutTornEnd({ files, directory, name: LEDGER_FILE, end: state.bytes });
  return new RetentionLedger({ directory, files }, state);
}
