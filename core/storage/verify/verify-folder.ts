import { resolve } from 'node:path';
import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { createGrouper as createOwnGrouper } from '../../fingerprint/grouper.js';
import { ACTION_LOG } from '../actions/action-log.js';
import { nodeFiles } from '../files/node-files.js';
import { requireFolder } from '../files/require-folder.js';
import type { StoreFiles } from '../files/store-files.js';
import { GROUPING_LOG } from '../groupings/grouping-log.js';
import { groupingPlan } from '../groupings/grouping-log-plan.js';
import type { RemovalHistory } from '../index/content/removal.js';
import type { CreateGrouper } from '../index/event-groupers.js';
import { describeHolder } from '../lock/lock-holder.js';
import { type FoundLock, LOCK_FILE, readWriterLock } from '../lock/writer-lock.js';
import { MAX_COMMIT_TIMESTAMPS } from '../record/commits/commit-record.js';
import { readFrontier } from '../record/inspect-partitions.js';
import { readLog } from '../record/io/read-log.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { FOLDER_ID_FILE } from '../record/partitions/folder-id.js';
import { openRecordReader } from '../record/reader/record-reader.js';
import { RELEASE_LOG } from '../releases/release-line.js';
import { LedgerHistory } from '../retention/ledger-history.js';
import { checkActions, checkFolderId, checkLog, checkNames } from './check-folder.js';
import { checkIndex } from './check-index.js';
import { checkEventIds, checkPartitions } from './check-partitions.js';
import { createFinding, type Finding, type FindingDetails } from './finding.js';
import { systemReason, type VerifyContext } from './verify-context.js';

/** Longest time between two yields to the event loop. */
const MAX_SLICE_MS = 5;

interface VerifyOptions {
  /** The data folder; it must exist. */
  directory: string;
  /** Default: the built-in grouper. */
  createGrouper?: CreateGrouper;
  files?: StoreFiles;
  /** Wall clock in milliseconds, for `PARTITION_AHEAD`; default: hours in the future are not reported. */
  nowMs?: () => number;
  onFinding: (finding: Finding) => void;
  /** `step` describes what is being checked, for people; `total` is 0 if unknown. */
  onProgress?: (progress: { readonly step: string; readonly done: number; readonly total: number }) => void;
  /** Aborts the verification: the promise rejects with the reason. */
  signal?: AbortSignal;
}

/** Totals of a verification. */
export interface VerifySummary {
  readonly partitions: number;
  /** Intact lines with a commit record. */
  readonly events: number;
  readonly damages: number;
  readonly notes: number;
}

/** Run in this order: later checks do not repeat findings of earlier ones. A system error ends only its own check. */
const CHECKS: readonly { readonly of: string; readonly check: (context: VerifyContext) => Promise<unknown> }[] = [
  { of: 'raw', check: checkNames },
  { of: 'raw', check: checkPartitions },
  { of: 'raw', check: checkEventIds },
  { of: FOLDER_ID_FILE, check: checkFolderId },
  { of: ACTION_LOG.name, check: checkActions },
  {
    of: GROUPING_LOG.name,
    check: (context) => checkLog(context, GROUPING_LOG, 'GROUPING_TORN', 'GROUPING_LINE_INVALID'),
  },
  { of: RELEASE_LOG.name, check: (context) => checkLog(context, RELEASE_LOG, 'RELEASE_TORN', 'RELEASE_LINE_INVALID') },
  { of: 'index', check: checkIndex },
];

/** Checks a folder, with or without a writer, and writes nothing. Fault `FOLDER_NOT_FOUND`; unreadable files are findings. */
export async function verifyFolder(options: VerifyOptions): Promise<VerifySummary> {
  const files = options.files ?? nodeFiles;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const counts = { damage: 0, note: 0 };
  const report = (found: FindingDetails): void => {
    const finding = createFinding(found);
    counts[finding.severity] += 1;
    options.onFinding(finding);
  };
  const lock = await readWriterLock(files, directory);
  const state = lockFinding(lock);
  if (state !== undefined) report(state);
  const writer = lock.isHeld ? describeHolder(lock.holder) : undefined;
  await using record = await openRecordReader({ directory, files });
  const context = await createContext({ ...options, directory, files }, { writer, record, report });
  for (const { of, check } of CHECKS) await runCheck(context, of, check);
  const { partitions, events } = context;
  return { partitions: partitions.length, events, damages: counts.damage, notes: counts.note };
}

async function createContext(
  options: VerifyOptions & { files: StoreFiles },
  { writer, record, report }: Pick<VerifyContext, 'writer' | 'record' | 'report'>,
): Promise<VerifyContext> {
  const { directory, files, createGrouper = createOwnGrouper } = options;
  // Commits are written one after another, so only the last one of a running writer can be incomplete.
  const durableMicros =
    writer === undefined ? Number.POSITIVE_INFINITY : (await readFrontier(files, directory, 0)) - MAX_COMMIT_TIMESTAMPS;
  const history = new LedgerHistory(files, directory);
  const firstHour = await firstKeptHour(history);
  const partitions = await record.partitions();
  const nowMicros = (options.nowMs?.() ?? Number.POSITIVE_INFINITY) * 1000;
  // The folder's clock may run up to an hour ahead.
  const ahead = partitions.find(({ hour }) => hour > hourOfMicros(nowMicros) + 1);
  if (ahead !== undefined) {
    report({ code: 'PARTITION_AHEAD', file: ahead.folder, what: 'The hour of the partition is still to come.' });
  }
  for (const { folder, hour } of partitions) {
    if (hour >= firstHour) continue;
    const what = 'The partition belongs to an hour that retention removed.';
    report({ code: 'PARTITION_REMOVED', file: folder, what });
  }
  return {
    directory,
    files,
    record,
    grouping: { plan: groupingPlan((await readLog({ directory, files }, GROUPING_LOG)).lines), createGrouper },
    writer,
    durableMicros,
    history,
    partitions: partitions.filter(({ hour }) => hour >= firstHour),
    isRemoved: async ({ hour }) => hour < (await firstKeptHour(history)),
    damagedFolders: new Set(),
    events: 0,
    report,
    nextSlice: createTimeSlice(options),
  };
}

async function firstKeptHour(history: RemovalHistory): Promise<number> {
  const totals = await history.totals();
  if (totals !== undefined) return hourOfMicros(totals.beforeMicros);
  // The last entry is torn or being written: the entries before it count.
  let beforeMicros = 0;
  for await (const removal of history.removals()) beforeMicros = removal.totals.beforeMicros;
  return hourOfMicros(beforeMicros);
}

async function runCheck(
  context: VerifyContext,
  file: string,
  check: (context: VerifyContext) => Promise<unknown>,
): Promise<void> {
  try {
    await check(context);
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    context.report({ code: 'FILE_UNREADABLE', file, what: `The system cannot read all of it: ${reason}.` });
  }
}

/** A holder that cannot be checked counts as running. */
function lockFinding({ isHeld, holder, isDamaged }: FoundLock): FindingDetails | undefined {
  const finding = (code: FindingDetails['code'], what: string): FindingDetails => ({ code, file: LOCK_FILE, what });
  if (isHeld) return finding('WRITER_RUNNING', `The folder is being written by ${describeHolder(holder)}.`);
  if (isDamaged) return finding('LOCK_UNREADABLE', 'It does not say who writes.');
  return holder && finding('LOCK_STALE', `It was left by ${describeHolder(holder)}, which is gone.`);
}

/** Not a slice of `time-slice.ts`: every read of a file restarts that one, so progress and interrupts would wait for long. */
function createTimeSlice({ onProgress, signal }: VerifyOptions): VerifyContext['nextSlice'] {
  let endsAtMs = performance.now() + MAX_SLICE_MS;
  return async (step, done, total) => {
    if (performance.now() < endsAtMs) return;
    onProgress?.({ step, done, total });
    await nextMacrotask();
    signal?.throwIfAborted();
    endsAtMs = performance.now() + MAX_SLICE_MS;
  };
}
