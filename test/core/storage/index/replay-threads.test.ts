import { encodeRawLine } from '../../../../core/event/encode-raw-line.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { openReplayThreads, type ReplayThreads } from '../../../../core/storage/index/replay-threads.js';
import type { StoredFingerprint } from '../../../../core/storage/record/commit-fingerprints.js';
import { partitionOf } from '../../../../core/storage/record/partition-path.js';
import type { ReplayedLine } from '../../../../core/storage/record/replayed-commit.js';
import { kindOfFailure } from '../../../helpers/payloads.js';

const DIST = new URL('../../../../dist/core/', import.meta.url);
const THREADS = new URL('storage/index/replay-threads.js', DIST);
const FINGERPRINT = new URL('fingerprint/compute-fingerprint.js', DIST);

const PARTITION = partitionOf('production', 'api', 'shop', 500_000);

function lineOf(content: string | Uint8Array, line = 0, fingerprint?: StoredFingerprint): ReplayedLine {
  const rawLine = Buffer.from(content);
  return { partition: PARTITION, line, offset: 0, bytes: rawLine.length, rawLine, fingerprint };
}

/** Threads run what was built: a thread cannot be given a source file that tests translate as they go. */
async function builtThreads(module: URL, onFault: (fault: Error) => void): Promise<ReplayThreads> {
  const built: { openReplayThreads: typeof openReplayThreads } = await import(THREADS.href);
  return built.openReplayThreads(module, onFault);
}

describe('replay threads', () => {
  it('read and group lines as this thread does, and leave out what is no payload', async () => {
    const faults: Error[] = [];
    const threads = await builtThreads(FINGERPRINT, (fault) => faults.push(fault));
    const payloads = Array.from({ length: 40 }, (_, kind) => kindOfFailure(kind, { message: `ünï ${kind}` }));
    const batches = payloads.map((payload, line) => [lineOf(encodeRawLine(payload), line), lineOf('{"app":1}')]);
    const answers = await Promise.all(batches.map(async (batch) => [...(await threads.read(batch))]));
    await threads.close();
    await threads.close();
    expect(faults).toEqual([]);
    answers.forEach(([failure, invalid], kind) => {
      const payload = payloads[kind] ?? kindOfFailure(0);
      const { value, version, title, culprit } = computeFingerprint(payload);
      expect(failure?.fingerprint).toEqual({ value, version, title, culprit });
      expect(failure?.payload).toMatchObject({ app: 'shop', message: payload.message });
      expect(invalid).toBeUndefined();
    });
    expect(await threads.read([lineOf('{}')])).toEqual([]);
  });

  it('take what the record says of a line, and describe each issue once', async () => {
    const threads = await builtThreads(FINGERPRINT, (fault) => expect(fault).toBeUndefined());
    const payload = kindOfFailure(1);
    const { title, culprit } = computeFingerprint(payload);
    const stored = { value: 'f'.repeat(32) as FingerprintValue, version: 1 };
    const line = lineOf(encodeRawLine(payload), 0, stored);
    const answer = [...(await threads.read([line, line, lineOf('{"app":1}', 0, stored)]))];
    await threads.close();
    expect(answer.map((failure) => failure?.fingerprint)).toEqual([{ ...stored, title, culprit }, stored, undefined]);
  });

  it('leave everything unread and say why when they cannot run', async () => {
    const faults: Error[] = [];
    const threads = openReplayThreads(new URL('file:///no/such/module.js'), (fault) => faults.push(fault));
    const line = lineOf(encodeRawLine(kindOfFailure(1)));
    expect(await Promise.all([threads.read([line]), threads.read([line])])).toEqual([[], []]);
    expect(faults.length).toBeGreaterThan(0);
    await threads.close();
  });
});
