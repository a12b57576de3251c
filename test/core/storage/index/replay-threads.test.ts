import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeRawLine } from '../../../../core/event/encode-raw-line.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { UNREAD } from '../../../../core/storage/index/packed-lines.js';
import {
  openReplayThreads,
  type ReplayThreads,
  type ThreadCommit,
} from '../../../../core/storage/index/replay-threads.js';
import { commitChecksum } from '../../../../core/storage/record/commit-record.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const DIST = new URL('../../../../dist/core/', import.meta.url);
const THREADS = new URL('storage/index/replay-threads.js', DIST);

const { plan: PLAN } = groupingBy(computeFingerprint);

/** Threads run what was built: a thread cannot be given a source file that tests translate as they go. */
async function builtThreads(onFault: (fault: Error) => void): Promise<ReplayThreads> {
  const built: { openReplayThreads: typeof openReplayThreads } = await import(THREADS.href);
  return built.openReplayThreads(PLAN, onFault);
}

/** A file with one line for each of some kinds of failures, each a commit. */
async function fileOf(kinds: number): Promise<ThreadCommit[]> {
  const path = join(await temporaryFolder(), 'raw.ndjson');
  await writeFile(path, '');
  const commits: ThreadCommit[] = [];
  let offset = 0;
  for (let kind = 0; kind < kinds; kind += 1) {
    const line = encodeRawLine(
      kindOfFailure(kind, { message: `ünï ${kind}`, extra: { faultline: { sampled: kind } } }),
    );
    const bytes = Buffer.concat([line, Buffer.from('\n')]);
    await appendFile(path, bytes);
    const crc32c = commitChecksum(bytes);
    commits.push({
      path,
      offset,
      bytes: bytes.length,
      lines: 1,
      crc32c,
      receivedAtMicros: 1,
      storedVersion: undefined,
      values: undefined,
    });
    offset += bytes.length;
  }
  return commits;
}

describe('replay threads', () => {
  it('read and group lines as this thread does', async () => {
    const faults: Error[] = [];
    const threads = await builtThreads((fault) => faults.push(fault));
    const commits = await fileOf(40);
    const answers = await Promise.all(commits.map((commit) => threads.read([commit])));
    await threads.close();
    await threads.close();
    expect(faults).toEqual([]);
    answers.forEach((packed, kind) => {
      const { value, title, culprit } = computeFingerprint(kindOfFailure(kind, { message: `ünï ${kind}` }));
      expect([...(packed?.lines ?? [])]).toEqual([1]);
      expect([...(packed?.weights ?? [])]).toEqual(kind === 0 ? [] : [[0, 1 + kind]]);
      expect(packed?.descriptions.slice(1, 4)).toEqual([value, title, culprit]);
      expect(packed?.services).toEqual(['shop', expect.any(String)]);
    });
    expect(await threads.read(commits)).toBeUndefined();
  });

  it('take what the record says of a line, and describe each issue once', async () => {
    const threads = await builtThreads((fault) => expect(fault).toBeUndefined());
    const [commit] = await fileOf(1);
    if (commit === undefined) throw new Error('no commit');
    const stored = { ...commit, storedVersion: 1, values: 'f'.repeat(32) };
    const packed = await threads.read([stored, stored]);
    await threads.close();
    expect([...(packed?.lines ?? [])]).toEqual([1, 1]);
    expect(packed?.descriptions.length).toBe(6);
    expect(packed?.descriptions[1]).toBe(stored.values);
  });

  it('leave a commit unread that is not on the disk as its record says', async () => {
    const threads = await builtThreads((fault) => expect(fault).toBeUndefined());
    const [first, second, last] = await fileOf(3);
    if (first === undefined || second === undefined || last === undefined) throw new Error('no commits');
    const packed = await threads.read([
      { ...first, path: join(first.path, 'nothing') },
      { ...first, crc32c: second.crc32c },
      { ...first, lines: 2 },
      { ...last, bytes: last.bytes + 1 },
      { ...last, bytes: 2 ** 50 },
      second,
    ]);
    await threads.close();
    expect([...(packed?.lines ?? [])]).toEqual([UNREAD, UNREAD, UNREAD, UNREAD, UNREAD, 1]);
  });

  it('leave everything unread and say why when they cannot run', async () => {
    const faults: Error[] = [];
    const threads = openReplayThreads(PLAN, (fault) => faults.push(fault));
    const commits = await fileOf(1);
    expect(await Promise.all([threads.read(commits), threads.read(commits)])).toEqual([undefined, undefined]);
    expect(faults.length).toBeGreaterThan(0);
    await threads.close();
  });
});
