import fc from 'fast-check';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import { beginEmptyIndex } from '../../../../core/storage/index/checkpoint/load-index.js';
import { type ReplayIntoIndexOptions, replayIntoIndex } from '../../../../core/storage/index/replay-into-index.js';
import type { ReplayedLine } from '../../../../core/storage/record/commits/committed-event.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { stateOf } from './index-state.js';
import { cachedFingerprint, MemoryRecord, TEN_O_CLOCK_MICROS } from './memory-record.js';
import { openIndex } from './open-index.js';

afterAll(removeTemporaryFolders);

const STACK = `Failure: x\n${'    at step (/srv/api/src/steps/step.js:10:5)\n'.repeat(400)}`;

function longRecord(commits: number, options = {}): MemoryRecord {
  const record = new MemoryRecord(options);
  for (let commit = 0; commit < commits; commit += 1) {
    const payloads = Array.from({ length: 20 }, (_, index) =>
      kindOfFailure((commit * 7 + index) % 90, {
        stack: STACK,
        timestamp: index % 3 === 0 ? null : '2026-11-21T09:00:00Z',
      }),
    );
    record.commit(payloads, TEN_O_CLOCK_MICROS + commit * 1000);
  }
  return record;
}

async function replayed(record: MemoryRecord, options: Partial<ReplayIntoIndexOptions> = {}) {
  const { content } = await beginEmptyIndex({ files: unsyncedFiles, directory: await temporaryFolder() }, null);
  const faults: Error[] = [];
  const replay = replayIntoIndex({
    record,
    content,
    afterMicros: 0,
    grouping: groupingBy(cachedFingerprint),
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  return { content, faults, replay };
}

/** A record with some of its fingerprints replaced. */
function regrouped(record: MemoryRecord, change: (line: ReplayedLine) => ReplayedLine): MemoryRecord {
  for (const [index, commit] of record.commits.entries()) {
    record.commits[index] = { ...commit, events: commit.events.map(change) };
  }
  return record;
}

describe('a replay of a record with fingerprints', () => {
  it('equals grouping all lines again, for any number of stored fingerprints', async () => {
    const old = await replayed(longRecord(6, { storesFingerprints: false }));
    await old.replay;
    const expected = await stateOf(old.content);
    const kept = fc.array(fc.constantFrom('kept', 'absent'), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(kept, async (kinds) => {
        let index = 0;
        const record = regrouped(longRecord(6), (line) => {
          index += 1;
          const kind = kinds[index % kinds.length];
          return kind === 'kept' ? line : { ...line, fingerprint: undefined };
        });
        const { content, faults, replay } = await replayed(record);
        await replay;
        expect(faults).toEqual([]);
        expect(await stateOf(content)).toEqual(expected);
      }),
    );
  });

  it('prefers the stored fingerprint over the computed one', async () => {
    const value = 'e'.repeat(32) as FingerprintValue;
    const record = regrouped(longRecord(2), (line) => ({ ...line, fingerprint: { value, version: 1 } }));
    const { content, replay } = await replayed(record);
    await replay;
    expect(content.issues.inOrder.map(({ fingerprint, count }) => [fingerprint, count])).toEqual([[value, 40]]);
    expect(content.issues.inOrder[0]?.title).toMatch(/^Failure/);
  });

  it('groups only lines without a fingerprint, and the first one of each issue', async () => {
    let grouped = 0;
    const count = async (record: MemoryRecord): Promise<number> => {
      grouped = 0;
      const fingerprint = (payload: RawPayload): Fingerprint => {
        grouped += 1;
        return cachedFingerprint(payload);
      };
      await (await replayed(record, { grouping: groupingBy(fingerprint) })).replay;
      return grouped;
    };
    expect(await count(longRecord(40, { storesFingerprints: false }))).toBe(40 * 20);
    expect(await count(longRecord(40))).toBe(90);
  });
});

describe('a replay', () => {
  it('reports a line that is not a payload, and continues', async () => {
    const damaged = longRecord(40);
    const last = damaged.commits.at(-1);
    last?.events[0]?.rawLine.fill(0x20);
    const { content, faults, replay } = await replayed(damaged);
    await replay;
    expect(faults.map((fault) => 'code' in fault && fault.code)).toEqual(['RAW_LINE_INVALID']);
    expect(content.segments.events).toBe(40 * 20 - 1);
  });

  it('applies no further commit once its signal aborts', async () => {
    const stop = new AbortController();
    const { content, replay } = await replayed(longRecord(40), {
      signal: stop.signal,
      afterCommit: async () => {
        if (content.segments.events >= 400) stop.abort();
      },
    });
    await expect(replay).rejects.toMatchObject({ code: 'STORE_CLOSING' });
    expect(content.segments.events).toBe(400);
  });
});

describe('an index whose signal aborts while it is rebuilt', () => {
  it('rejects, keeps what it applied, and continues there at the next start', async () => {
    const record = longRecord(40);
    const directory = await temporaryFolder();
    const stop = new AbortController();
    const interrupted = {
      partitionOfId: record.partitionOfId.bind(record),
      readLine: record.readLine.bind(record),
      async *replay(options: { afterMicros: number }) {
        let commits = 0;
        for await (const commit of record.replay(options)) {
          if (commits === 20) stop.abort();
          commits += 1;
          yield commit;
        }
      },
    };
    const stopped = openIndex(directory, record, { record: interrupted, signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'STORE_CLOSING' });
    const next = await openIndex(directory, record);
    const whole = await openIndex(await temporaryFolder(), record);
    expect([next.replayed, next.faults]).toEqual([20 * 20, []]);
    expect(await stateOf(next.index.content)).toEqual(await stateOf(whole.index.content));
    await next.index.close();
    await whole.index.close();
  });
});
