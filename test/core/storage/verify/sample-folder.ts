import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { type EventStore, openEventStore } from '../../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../../core/storage/event-store-options.js';
import type { Finding } from '../../../../core/storage/verify/finding.js';
import { type VerifySummary, verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { temporaryFolder } from '../../../helpers/temporary-folder.js';
import { computeFingerprint } from '../../fingerprint/compute-fingerprint.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

const HOUR_MS = 3_600_000;

/** Partitions of the sample. */
export const API_AT_TEN = 'raw/production/api/shop/2026/11/21/10';
export const API_AT_ELEVEN = 'raw/production/api/shop/2026/11/21/11';
export const WORKER_AT_TEN = 'raw/staging/worker/shop/2026/11/21/10';

/** Opens a store with the built-in grouping. */
export async function openStore(directory: string, options: Partial<EventStoreOptions> = {}): Promise<EventStore> {
  return await openEventStore({ directory, durability: 'os', ...options });
}

/** Appends one batch. */
export async function append(store: EventStore, payloads: readonly RawPayload[], batchId?: string): Promise<void> {
  const events = payloads.map((payload) => ({ payload, fingerprint: computeFingerprint(payload) }));
  await store.append(events, batchId === undefined ? {} : { batchId });
}

/** Creates a closed store: three partitions in two hours, 660 events of 70 issues in several segments, batch ids, three actions. */
export async function sampleFolder(): Promise<string> {
  const directory = await temporaryFolder();
  const clock = { nowMs: TEN_O_CLOCK_MS };
  const store = await openStore(directory, { nowMs: () => clock.nowMs });
  const payload = (index: number): RawPayload =>
    kindOfFailure(index % 70, {
      timestamp: null,
      request_id: `r-${index}`,
      ...(index % 5 === 4 && { env: 'staging', service: 'worker' }),
    });
  for (let batch = 0; batch < 35; batch += 1) {
    clock.nowMs = TEN_O_CLOCK_MS + batch * 60_000 + (batch < 25 ? 0 : HOUR_MS);
    const indexes = Array.from({ length: 20 }, (_, index) => batch * 20 + index);
    const payloads = indexes.map(payload).filter(({ env }) => batch < 25 || env === 'production');
    await append(store, payloads, batch % 10 === 0 ? `import:march:${batch}` : undefined);
  }
  const { issues } = await store.reader.listIssues({ limit: 3 });
  for (const { issue_id: issueId } of issues) {
    await store.act(issueId, { action: 'comment', actor: 'ada', text: 'seen' });
  }
  await store.close();
  return directory;
}

/** A copy to damage. */
export async function copyOf(directory: string): Promise<string> {
  const copy = join(await temporaryFolder(), 'data');
  await cp(directory, copy, { recursive: true });
  return copy;
}

/** Verifies a folder and collects the findings. */
export async function verify(directory: string): Promise<{ findings: Finding[]; summary: VerifySummary }> {
  const findings: Finding[] = [];
  const onFinding = (finding: Finding): void => void findings.push(finding);
  const summary = await verifyFolder({ directory, onFinding });
  return { findings, summary };
}

/** Returns every file of a folder by its path, with `/`. */
export async function filesUnder(directory: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(directory.length + 1), await readFile(path));
  }
  return files;
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
