import { join } from 'node:path';
import type { Partition } from '../record/partition.js';
import { RAW_FILE } from '../record/partition-path.js';
import type { Found } from './finding.js';
import { systemReason } from './system-reason.js';
import type { VerifyContext } from './verify-context.js';
import { verifyPartition } from './verify-partition.js';

/** Of one partition: a byte too many makes every commit behind it differ. */
const MOST_FINDINGS = 20;

/** Every partition: its commit records, the bytes that they cover, and what lies behind them. */
export async function checkPartitions(context: VerifyContext): Promise<void> {
  const total = await rawBytesOf(context);
  let doneBytes = 0;
  for (const partition of context.partitions) {
    let bytes = 0;
    const onBytes = async (checked: number): Promise<void> => {
      bytes = checked;
      await context.turn('checking the record', doneBytes + bytes, total);
    };
    await verifyKept(context, partition, onBytes);
    doneBytes += bytes;
  }
}

/** What is found of a partition that retention removes meanwhile is no damage. */
async function verifyKept(
  context: VerifyContext,
  partition: Partition,
  onBytes: (bytes: number) => Promise<void>,
): Promise<void> {
  const found: Found[] = [];
  let more = 0;
  const report = (one: Found): void => {
    if (found.length <= MOST_FINDINGS) found.push(one);
    else more += 1;
  };
  const own: VerifyContext = { ...context, events: 0, report };
  try {
    await verifyPartition(own, partition, onBytes);
  } catch (error) {
    reportUnreadable(own, partition, error);
  }
  if (found.length > 0 && (await context.isRemoved(partition))) return;
  context.events += own.events;
  for (const [place, one] of found.entries()) {
    const rest = place === MOST_FINDINGS && more > 0 ? ` And ${more} more findings in this partition.` : '';
    context.report({ ...one, what: `${one.what}${rest}` });
  }
}

async function rawBytesOf({ files, directory, partitions, turn }: VerifyContext): Promise<number> {
  let total = 0;
  for (const { folder } of partitions) {
    total += (await files.stat(join(directory, folder, RAW_FILE)))?.bytes ?? 0;
    await turn('looking at sizes', 0, 0);
  }
  return total;
}

function reportUnreadable(context: VerifyContext, { folder }: Partition, error: unknown): void {
  const reason = systemReason(error);
  if (reason === undefined) throw error;
  context.damagedFolders.add(folder);
  context.report({ code: 'FILE_UNREADABLE', file: folder, what: `The system cannot read this partition: ${reason}.` });
}
