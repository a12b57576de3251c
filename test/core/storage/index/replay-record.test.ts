import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import { createDescribedIssues, openDescribedIssues } from '../../../../core/storage/index/described-issues.js';
import { LinePacker } from '../../../../core/storage/index/line-packer.js';
import type { PackedLines } from '../../../../core/storage/index/packed-lines.js';
import { type ReplayOptions, replayRecord } from '../../../../core/storage/index/replay-record.js';
import type { ReplayThreads, ThreadCommit } from '../../../../core/storage/index/replay-threads.js';
import { createEmptyIndex } from '../../../../core/storage/index/start-index.js';
import { lineStarts } from '../../../../core/storage/record/commit-lines.js';
import { commitChecksum } from '../../../../core/storage/record/commit-record.js';
import type { ReplayedLine, UnreadCommit, UnreadInstant } from '../../../../core/storage/record/replayed-commit.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { stateOf } from './index-state.js';
import { bytesOf, MemoryRecord, rememberedFingerprint, TEN_O_CLOCK_MICROS } from './memory-record.js';
import { openIndex } from './open-index.js';

afterAll(removeTemporaryFolders);

/** Lines long enough that a few hundred are worth a thread. */
const STACK = `Failure: x\n${'    at step (/srv/api/src/steps/step.js:10:5)\n'.repeat(400)}`;

function longRecord(commits: number, options = {}): MemoryRecord {
  const record = new MemoryRecord(options);
  for (let commit = 0; commit < commits; commit += 1) {
    const payloads = Array.from({ length: 20 }, (_, place) =>
      kindOfFailure((commit * 7 + place) % 90, {
        stack: STACK,
        timestamp: place % 3 === 0 ? null : '2026-11-21T09:00:00Z',
      }),
    );
    record.commit(payloads, TEN_O_CLOCK_MICROS + commit * 1000);
  }
  return record;
}

/** Threads in name only: they answer in any order and leave commits unread when they are told to; what they answer is packed as threads do it. */
class ThreadsInName implements ReplayThreads {
  linesAsked = 0;
  closed = 0;
  readonly #record: MemoryRecord;
  readonly #isRead: (commit: number) => boolean;
  readonly #turns: (batch: number) => number;
  readonly #described = openDescribedIssues(createDescribedIssues());
  #batches = 0;
  #commits = 0;

  constructor(
    record: MemoryRecord,
    isRead: (commit: number) => boolean = () => true,
    turns: (batch: number) => number = () => 0,
  ) {
    this.#record = record;
    this.#isRead = isRead;
    this.#turns = turns;
  }

  async read(commits: readonly ThreadCommit[]): Promise<PackedLines> {
    this.#batches += 1;
    const batch = this.#batches;
    const packer = new LinePacker({ described: this.#described, batch });
    for (const commit of commits) {
      this.#commits += 1;
      this.linesAsked += commit.lines;
      const { values } = commit;
      const content = this.#isRead(this.#commits) ? this.#contentOf(commit) : undefined;
      packer.add(content, { values, fingerprint: rememberedFingerprint });
    }
    for (let left = this.#turns(batch); left > 0; left -= 1) await turn();
    return packer.finish();
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  #contentOf({ path, offset, bytes, lines, crc32c }: ThreadCommit) {
    const ofFile = this.#record.commits
      .flatMap(({ events }) => events)
      .filter(({ partition }) => path === `/${partition.folder}/raw.ndjson`);
    const found = bytesOf(ofFile.filter((line) => line.offset >= offset && line.offset < offset + bytes));
    const starts = commitChecksum(found) === crc32c ? lineStarts(found, lines) : undefined;
    return starts && { bytes: found, starts };
  }
}

async function replayed(record: MemoryRecord, options: Partial<ReplayOptions> = {}) {
  const { content } = createEmptyIndex(nodeFiles, await temporaryFolder(), null);
  const faults: Error[] = [];
  const replay = replayRecord({
    record,
    content,
    afterMicros: 0,
    grouping: groupingBy(rememberedFingerprint),
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  return { content, faults, replay };
}

/** A record with some of its fingerprints replaced. */
function regrouped(record: MemoryRecord, change: (line: ReplayedLine) => ReplayedLine): MemoryRecord {
  for (const [place, commit] of record.commits.entries()) {
    record.commits[place] = { ...commit, events: commit.events.map(change) };
  }
  return record;
}

describe('a replay of a record that says what grouped its lines', () => {
  it('gives what grouping them anew gives, however many of them say it', async () => {
    const old = await replayed(longRecord(6, { storesFingerprints: false }));
    await old.replay;
    const expected = await stateOf(old.content);
    const kept = fc.array(fc.constantFrom('kept', 'absent'), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(kept, fc.boolean(), async (kinds, withThreads) => {
        let place = 0;
        const record = regrouped(longRecord(6), (line) => {
          place += 1;
          const kind = kinds[place % kinds.length];
          return kind === 'kept' ? line : { ...line, fingerprint: undefined };
        });
        const options = withThreads
          ? { openThreads: () => new ThreadsInName(record, (commit) => commit % 5 !== 0) }
          : {};
        const { content, faults, replay } = await replayed(record, options);
        await replay;
        expect(faults).toEqual([]);
        expect(await stateOf(content)).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });

  it('lets what is stored decide where the function says otherwise', async () => {
    const value = 'e'.repeat(32) as FingerprintValue;
    const record = regrouped(longRecord(2), (line) => ({ ...line, fingerprint: { value, version: 1 } }));
    const { content, replay } = await replayed(record);
    await replay;
    expect(content.issues.inOrder.map(({ fingerprint, count }) => [fingerprint, count])).toEqual([[value, 40]]);
    expect(content.issues.inOrder[0]?.title).toMatch(/^Failure/);
  });

  it('groups only the lines that do not say it, and the first one of each issue', async () => {
    let grouped = 0;
    const count = async (record: MemoryRecord): Promise<number> => {
      grouped = 0;
      const fingerprint = (payload: RawPayload): Fingerprint => {
        grouped += 1;
        return rememberedFingerprint(payload);
      };
      await (await replayed(record, { grouping: groupingBy(fingerprint) })).replay;
      return grouped;
    };
    expect(await count(longRecord(40, { storesFingerprints: false }))).toBe(40 * 20);
    expect(await count(longRecord(40))).toBe(90);
  });
});

describe('a replay that reads on other threads', () => {
  const record = longRecord(40);
  const seeds = fc.record({ gap: fc.integer({ min: 2, max: 50 }), turns: fc.array(fc.nat(5), { minLength: 1 }) });

  it('gives what a replay on one thread gives, in whatever order the threads answer and whatever they leave out', async () => {
    const alone = await replayed(record);
    await alone.replay;
    const expected = await stateOf(alone.content);
    await fc.assert(
      fc.asyncProperty(seeds, async ({ gap, turns }) => {
        const threads = new ThreadsInName(
          record,
          (commit) => commit % gap !== 0,
          (batch) => turns[batch % turns.length] ?? 0,
        );
        const { content, faults, replay } = await replayed(record, { openThreads: () => threads });
        await replay;
        expect(threads.linesAsked).toBeGreaterThan(100);
        expect([faults, threads.closed]).toEqual([[], 1]);
        expect(await stateOf(content)).toEqual(expected);
      }),
      { numRuns: 5 },
    );
  });

  it('reports a line that is no payload, and goes on', async () => {
    const damaged = longRecord(40);
    const last = damaged.commits.at(-1);
    last?.events[0]?.rawLine.fill(0x20);
    const { content, faults, replay } = await replayed(damaged, { openThreads: () => new ThreadsInName(damaged) });
    await replay;
    expect(faults.map((fault) => 'code' in fault && fault.code)).toEqual(['RAW_LINE_INVALID']);
    expect(content.segments.events).toBe(40 * 20 - 1);
  });

  it('passes over what lies behind bytes that turn out to be missing', async () => {
    const whole = longRecord(40);
    let isGone = false;
    const lost = {
      async *replayUnread(options: { afterMicros: number }): AsyncGenerator<UnreadInstant> {
        let instants = 0;
        for await (const { receivedAtMicros, commits } of whole.replayUnread(options)) {
          const path = instants === 30 ? '/nothing' : undefined;
          instants += 1;
          yield { receivedAtMicros, commits: commits.map((commit) => lostCommit(commit, path)) };
        }
      },
    };
    const lostCommit = (commit: UnreadCommit, path = commit.path): UnreadCommit => ({
      ...commit,
      path,
      get isGone() {
        return isGone;
      },
      read: async () => {
        isGone ||= path === '/nothing';
        return isGone ? [] : await commit.read();
      },
    });
    const threads = new ThreadsInName(whole);
    const { content, faults, replay } = await replayed(whole, { record: lost, openThreads: () => threads });
    await replay;
    expect([content.segments.events, faults]).toEqual([30 * 20, []]);
  });

  it('starts none for a short record', async () => {
    const { content, replay } = await replayed(longRecord(2), {
      openThreads: () => {
        throw new Error('a thread was started');
      },
    });
    await replay;
    expect(content.segments.events).toBe(40);
  });

  it('closes them when it is told to stop, and takes no further commit', async () => {
    const stop = new AbortController();
    const threads = new ThreadsInName(record);
    const { content, replay } = await replayed(record, {
      openThreads: () => threads,
      signal: stop.signal,
      afterCommit: async () => {
        if (content.segments.events >= 400) stop.abort();
      },
    });
    await expect(replay).rejects.toMatchObject({ code: 'STORE_CLOSING' });
    expect([content.segments.events, threads.closed]).toEqual([400, 1]);
  });
});

describe('an index that is told to stop while it is rebuilt', () => {
  it('rejects, keeps what it took, and goes on from there at the next opening', async () => {
    const record = longRecord(40);
    const directory = await temporaryFolder();
    const stop = new AbortController();
    const interrupted = {
      partitionOfId: record.partitionOfId.bind(record),
      async *replayUnread(options: { afterMicros: number }) {
        let commits = 0;
        for await (const commit of record.replayUnread(options)) {
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
