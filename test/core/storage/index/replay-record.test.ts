import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { decodeRawLine } from '../../../../core/event/decode-raw-line.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import type { IndexedFailure } from '../../../../core/storage/index/indexed-event.js';
import { packFailures, unpackFailures } from '../../../../core/storage/index/packed-failures.js';
import { type ReplayOptions, replayRecord } from '../../../../core/storage/index/replay-record.js';
import type { ReplayThreads } from '../../../../core/storage/index/replay-threads.js';
import { createEmptyIndex } from '../../../../core/storage/index/start-index.js';
import type { ReplayedLine } from '../../../../core/storage/record/replayed-commit.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { stateOf } from './index-state.js';
import { MemoryRecord, rememberedFingerprint, TEN_O_CLOCK_MICROS } from './memory-record.js';
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

/** Threads in name only: they answer in any order, leave out what they are told to, and pass every answer through its packed form. */
class ThreadsInName implements ReplayThreads {
  linesAsked = 0;
  closed = 0;
  readonly #isRead: (line: number) => boolean;
  readonly #turns: (batch: number) => number;
  readonly #described = new Set<string>();
  #batches = 0;

  constructor(isRead: (line: number) => boolean, turns: (batch: number) => number = () => 0) {
    this.#isRead = isRead;
    this.#turns = turns;
  }

  async read(lines: readonly ReplayedLine[]): Promise<Iterable<IndexedFailure | undefined>> {
    const failures = lines.map(({ rawLine, fingerprint }): IndexedFailure | undefined => {
      this.linesAsked += 1;
      if (!this.#isRead(this.linesAsked)) return undefined;
      const payload = decodeRawLine(rawLine);
      if (fingerprint === undefined) return { payload, fingerprint: rememberedFingerprint(payload) };
      const { value, version } = fingerprint;
      const isDescribed = this.#described.has(value);
      this.#described.add(value);
      return { payload, fingerprint: isDescribed ? { value, version } : rememberedFingerprint(payload) };
    });
    this.#batches += 1;
    for (let left = this.#turns(this.#batches); left > 0; left -= 1) await turn();
    const known = lines.map(({ fingerprint }) => fingerprint);
    return unpackFailures(
      packFailures(failures, failures.length, (place) => known[place] !== undefined),
      (place) => known[place],
    );
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}

async function replayed(record: MemoryRecord, options: Partial<ReplayOptions> = {}) {
  const { content } = createEmptyIndex(nodeFiles, await temporaryFolder(), 1);
  const faults: Error[] = [];
  const replay = replayRecord({
    record,
    content,
    afterMicros: 0,
    fingerprint: rememberedFingerprint,
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
  it('gives what grouping them anew gives, however many of them say it and by which version', async () => {
    const old = await replayed(longRecord(6, { storesFingerprints: false }));
    await old.replay;
    const expected = await stateOf(old.content);
    const kept = fc.array(fc.constantFrom('kept', 'absent', 'other version'), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(kept, fc.boolean(), async (kinds, withThreads) => {
        let place = 0;
        const record = regrouped(longRecord(6), (line) => {
          place += 1;
          const kind = kinds[place % kinds.length];
          if (kind === 'kept' || line.fingerprint === undefined) return line;
          const value = 'f'.repeat(32) as FingerprintValue;
          return { ...line, fingerprint: kind === 'absent' ? undefined : { value, version: 7 } };
        });
        const options = withThreads ? { openThreads: () => new ThreadsInName((line) => line % 5 !== 0) } : {};
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
      await (await replayed(record, { fingerprint })).replay;
      return grouped;
    };
    // One call more asks for the version.
    expect(await count(longRecord(40, { storesFingerprints: false }))).toBe(40 * 20 + 1);
    expect(await count(longRecord(40))).toBe(90 + 1);
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
          (line) => line % gap !== 0,
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
    const { content, faults, replay } = await replayed(damaged, {
      openThreads: () => {
        // As a thread does: what it cannot read is left to the one who asked.
        const threads = new ThreadsInName(() => true);
        return {
          read: (lines) => threads.read(lines.filter(({ rawLine }) => rawLine[0] !== 0x20)).then(() => []),
          close: () => threads.close(),
        };
      },
    });
    await replay;
    expect(faults.map((fault) => 'code' in fault && fault.code)).toEqual(['RAW_LINE_INVALID']);
    expect(content.segments.events).toBe(40 * 20 - 1);
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
    const threads = new ThreadsInName(() => true);
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
