import { join } from 'node:path';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { type EventStore, openEventStore } from '../../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../../core/storage/event-store-options.js';
import type { Finding } from '../../../../core/storage/verify/finding.js';
import { type VerifySummary, verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../../fingerprint/compute-fingerprint.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

const HOUR_MS = 3_600_000;

/** Partitions of the sample. */
export const API_AT_TEN = 'raw/production/api/shop/2026/11/21/10';
export const API_AT_ELEVEN = 'raw/production/api/shop/2026/11/21/11';
export const WORKER_AT_TEN = 'raw/staging/worker/shop/2026/11/21/10';

/** Opens a store with the built-in grouping. */
export async function openStore(disk: MemoryDisk, options: Partial<EventStoreOptions> = {}): Promise<EventStore> {
  return await openEventStore({ directory: MEMORY_ROOT, files: disk.files, durability: 'os', ...options });
}

/** Appends one batch. */
export async function append(store: EventStore, payloads: readonly RawPayload[], batchId?: string): Promise<void> {
  const events = payloads.map((payload) => ({ payload, fingerprint: computeFingerprint(payload) }));
  await store.append(events, batchId === undefined ? {} : { batchId });
}

/** Returns the disk of a closed store: three partitions in two hours, 304 events of 70 issues in several segments, batch ids, three actions. */
export async function sampleFolder(): Promise<MemoryDisk> {
  const disk = createMemoryDisk();
  const clock = { nowMs: TEN_O_CLOCK_MS };
  const store = await openStore(disk, { nowMs: () => clock.nowMs });
  const payload = (index: number): RawPayload =>
    kindOfFailure(index % 70, {
      timestamp: null,
      request_id: `r-${index}`,
      ...(index % 5 === 4 && { env: 'staging', service: 'worker' }),
    });
  for (let batch = 0; batch < 16; batch += 1) {
    clock.nowMs = TEN_O_CLOCK_MS + batch * 60_000 + (batch < 12 ? 0 : HOUR_MS);
    const indexes = Array.from({ length: 20 }, (_, index) => batch * 20 + index);
    const payloads = indexes.map(payload).filter(({ env }) => batch < 12 || env === 'production');
    await append(store, payloads, batch % 10 === 0 ? `import:march:${batch}` : undefined);
  }
  const { issues } = await store.reader.listIssues({ limit: 3 });
  for (const { issue_id: issueId } of issues) {
    await store.act(issueId, { action: 'comment', actor: 'ada', text: 'seen' });
  }
  await store.close();
  return disk;
}

/** Verifies a folder and collects the findings. */
export async function verify({ files }: MemoryDisk): Promise<{ findings: Finding[]; summary: VerifySummary }> {
  const findings: Finding[] = [];
  const onFinding = (finding: Finding): void => void findings.push(finding);
  const summary = await verifyFolder({ directory: MEMORY_ROOT, files, onFinding });
  return { findings, summary };
}

/** Returns every file of the folder by its path in it. */
export async function filesUnder(disk: MemoryDisk, folder = MEMORY_ROOT): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const { name, kind } of await disk.files.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') for (const [below, bytes] of await filesUnder(disk, path)) found.set(below, bytes);
    else found.set(path.slice(MEMORY_ROOT.length + 1), disk.contentOf(path) ?? Buffer.alloc(0));
  }
  return found;
}

/** Returns files of the record whose earlier bytes are neither in place nor in `salvage/`. */
export function lostEvidence(before: ReadonlyMap<string, Buffer>, after: ReadonlyMap<string, Buffer>): string[] {
  const salvaged = [...after].filter(([path]) => path.startsWith('salvage/')).map(([, bytes]) => bytes);
  const isKept = (path: string, bytes: Buffer): boolean => {
    const now = after.get(path) ?? Buffer.alloc(0);
    if (now.subarray(0, bytes.length).equals(bytes)) return true;
    return salvaged.some((tail) => {
      const kept = bytes.length - tail.length;
      return kept >= 0 && bytes.subarray(kept).equals(tail) && now.subarray(0, kept).equals(bytes.subarray(0, kept));
    });
  };
  return [...before].filter(([path, bytes]) => isRecord(path) && !isKept(path, bytes)).map(([path]) => path);
}

/** Whether a file cannot be derived from others. */
export function isRecord(path: string): boolean {
  return /^raw\/[^@]/.test(path) || path === 'actions.ndjson';
}
