import { hash } from 'node:crypto';
import { join } from 'node:path';
import { ACTION_LOG } from '../../../../core/storage/actions/action-log.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { readLog } from '../../../../core/storage/record/io/read-log.js';
import type { RetentionBounds } from '../../../../core/storage/retention/choose-removal.js';
import type { IssueDetail } from '../../../../generated/reader-answers.js';
import { expectSame } from '../../../helpers/expect-same.js';
import { MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { LivingStore } from './living-store.js';
import { type RecordScan, scanRecord } from './record-scan.js';
import { eventOf, weightOf } from './sent-events.js';
import type { StoreModel } from './store-model.js';
import { type StoreView, viewOf } from './store-view.js';

/** A folder and its expected content. */
export interface Audited {
  readonly disk: MemoryDisk;
  readonly model: StoreModel;
  readonly clock: { nowMs: number };
  readonly durability?: 'fsync' | 'os';
  readonly retention?: RetentionBounds;
  /** Whether a power failure with durability `os` may have lost unsynced events; default false. */
  readonly mayLose?: boolean;
}

/** Opens a folder after its process ended, and compares its content with the model. */
export async function openAudited(audited: Audited): Promise<LivingStore> {
  const { disk, model, mayLose = false } = audited;
  const living = await LivingStore.open(audited);
  await living.surveyed();
  const removedBefore = await living.removedBeforeMicros();
  const scan = await scanRecord(MEMORY_ROOT, disk.files, removedBefore);
  model.forget(removedBefore);
  // A start that was killed while it wrote LOCK leaves it torn, which the next start reports.
  const expected = ['COMMITS_RESTORED', 'LOCK_UNREADABLE'];
  const faults = living.faults.filter(({ code }) => !expected.includes(code));
  if (!mayLose) expect([faults.map(String), scan.damage]).toEqual([[], []]);
  const { lines: actions } = await readLog({ directory: MEMORY_ROOT, files: disk.files }, ACTION_LOG);
  model.settle(scan, actions, { mayLose });
  expectInOrder(scan);
  await expectReads(living, scan, model);
  return living;
}

/**
 * Audits a folder and closes it: its content equals the model, reopening changes nothing, and the index equals one rebuilt from the
 * record.
 */
export async function auditFolder(audited: Audited): Promise<void> {
  const { disk, model, clock, mayLose = false } = audited;
  const first = await openAudited(audited);
  const stored = await first.append([eventOf({ message: `after ${model.known.size}`, kind: 1 })]);
  expect(stored?.length).toBe(1);
  const view = await viewOf(first.store.reader);
  await first.store.close();

  const before = await recordFiles(disk.files);
  const again = await openAudited({ disk, model, clock, mayLose });
  expectSame(await viewOf(again.store.reader), view);
  await again.store.close();
  expectSame(await recordFiles(disk.files), before);

  const withoutIndex = disk.copy();
  await withoutIndex.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'old-index'));
  const rebuilt = await LivingStore.open({ disk: withoutIndex, model, clock });
  expectSame(await viewOf(rebuilt.store.reader), view);
  await rebuilt.store.close();
}

/** Timestamps and ids ascend from commit to commit. */
function expectInOrder({ lines }: RecordScan): void {
  const outOfOrder = lines.filter((line, index) => {
    const before = lines[index - 1];
    if (before === undefined || line.receivedAtMicros === before.receivedAtMicros) return false;
    return line.receivedAtMicros < before.receivedAtMicros || line.eventId < before.eventId;
  });
  expect(outOfOrder).toEqual([]);
}

/** Every event is returned by its id, counted once in its issue, and listed in order of arrival. */
async function expectReads(
  { store: { reader } }: LivingStore,
  { lines }: RecordScan,
  model: StoreModel,
): Promise<void> {
  const view = await viewOf(reader);
  expect(view.stats.events).toBe(lines.length);
  expectSame(listed(view), expectedLists(lines));
  const known = [...model.known.values()];
  const read = await Promise.all(known.map(({ eventId }) => reader.getEvent(eventId)));
  const different = known.filter(({ eventId, path, line, text }, index) => {
    const { event_id: id, raw } = read[index] ?? {};
    const isFound = id === eventId && raw?.path === `${MEMORY_ROOT}/${path}` && raw.line === line;
    return !isFound || JSON.stringify(raw.payload) !== text;
  });
  expect(different).toEqual([]);
  const comments = view.details.flatMap(commentsOn);
  const issues = new Set(view.details.map((issue) => issue?.issue_id));
  const actions = [...model.actions.values()].filter(({ issueId }) => issues.has(issueId));
  expect(comments.sort()).toEqual(actions.map(({ data }) => data['text']).sort());
}

function commentsOn(issue: IssueDetail | undefined): (string | null)[] {
  const actions = issue?.history.filter(({ action }) => action === 'comment' || action === 'resolve') ?? [];
  return actions.map(({ detail }) => detail);
}

/** Name, counts and events of each issue. */
function listed({ issues, events }: StoreView): unknown[] {
  // Issues stay in the list after all their events were removed.
  return (issues['count'] ?? [])
    .filter(({ count }) => count > 0)
    .map((issue) => [
      `${issue.error_name} ${issue.service}`,
      issue.count,
      issue.count - issue.sampled,
      (events[issue.issue_id] ?? []).map(({ event_id: id }) => id),
    ])
    .sort();
}

function expectedLists(lines: RecordScan['lines']): unknown[] {
  const issues = new Map<string, string[]>();
  const counts = new Map<string, number>();
  for (const { errorName, service, eventId, text } of lines) {
    const name = `${errorName} ${service}`;
    issues.set(name, [eventId, ...(issues.get(name) ?? [])]);
    counts.set(name, (counts.get(name) ?? 0) + weightOf(text));
  }
  return [...issues].map(([name, ids]) => [name, counts.get(name), ids.length, ids]).sort();
}

/** Returns every file that is not part of the index, with a hash of its content. */
async function recordFiles(files: StoreFiles, folder = MEMORY_ROOT): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, kind } of await files.list(folder)) {
    const path = join(folder, name);
    if (name.startsWith('index') && folder === MEMORY_ROOT) continue;
    if (kind === 'folder') Object.assign(found, await recordFiles(files, path));
    else found[path] = hash('sha256', (await files.readFile(path)) ?? '');
  }
  return found;
}
