import type { DataFolder } from '../files/store-files.js';
import { NOTHING_REMOVED } from '../index/content/removal.js';
import { cutTornEnd } from '../record/io/salvage.js';
import { readLedgerTail } from './ledger-history.js';
import { LEDGER_FILE } from './ledger-line.js';
import { type LedgerState, RetentionLedger } from './retention-ledger.js';
import { scanLedger } from './scan-ledger.js';

interface RetentionLedgerOptions extends DataFolder {
  /** Called with Fault `RECORD_DAMAGED` for a damaged entry. */
  onFault?: ((fault: Error) => void) | undefined;
}

/** Opens the ledger before anything else writes to the folder; a torn last entry is moved to `salvage/`. */
export async function openRetentionLedger(options: RetentionLedgerOptions): Promise<RetentionLedger> {
  return new RetentionLedger(options, await loadState(options));
}

async function loadState({ directory, files, onFault }: RetentionLedgerOptions): Promise<LedgerState> {
  const tail = await readLedgerTail(files, directory);
  // A done or summary line is written after everything before it is durable, so the rest need not be read.
  if (tail?.isDone) return { ...tail, pending: [] };
  let state: LedgerState = { totals: NOTHING_REMOVED, issueLines: 0, bytes: 0, pending: [] };
  for await (const entry of scanLedger({ directory, files, onDamage: onFault })) {
    const { totals, issueLines, kind } = entry.end;
    const removed = entry.partitions.map(({ partition }) => partition);
    const pending = kind === 'removed' ? [...state.pending, ...removed] : [];
    state = { totals, issueLines, bytes: entry.endsAt, pending };
  }
  await cutTornEnd({ files, directory, name: LEDGER_FILE, end: state.bytes });
  return state;
}
