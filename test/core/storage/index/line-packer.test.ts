import fc from 'fast-check';
import { encodeRawLine } from '../../../../core/event/encode-raw-line.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { FINGERPRINT_VERSION } from '../../../../core/fingerprint/grouping-settings.js';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import { createDescribedIssues, openDescribedIssues } from '../../../../core/storage/index/described-issues.js';
import { type CommitGrouping, LinePacker } from '../../../../core/storage/index/line-packer.js';
import { PackedAnswer, type PackedCommit } from '../../../../core/storage/index/packed-commit.js';
import { UNREAD } from '../../../../core/storage/index/packed-lines.js';
import { createEmptyIndex } from '../../../../core/storage/index/start-index.js';
import { lineStarts } from '../../../../core/storage/record/commit-lines.js';
import type { UnreadCommit } from '../../../../core/storage/record/replayed-commit.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { stateOf } from './index-state.js';
import { bytesOf, MemoryRecord, rememberedFingerprint, TEN_O_CLOCK_MICROS } from './memory-record.js';

afterAll(removeTemporaryFolders);

const text = fc.string({ unit: 'binary', maxLength: 12 });
const nullable = fc.option(text, { nil: null });

/** Few apps, services and kinds, so that many share one; texts of every kind elsewhere. */
const payload: fc.Arbitrary<RawPayload> = fc
  .record({
    kind: fc.nat(3),
    app: fc.constantFrom('shop', '', 'ünï'),
    env: text,
    extra: fc.constantFrom(
      null,
      { cart: 1 },
      { faultline: { sampled: 9 } },
      { faultline: { sampled: 1e9 } },
      { faultline: 3 },
    ),
    level: nullable,
    release: nullable,
    service: fc.constantFrom('api', 'a\u0000b'),
    stack: fc.constantFrom(null, '', 'Error: x\n    at y (/srv/y.js:1:1)'),
    status_code: fc.constantFrom(null, 502),
    timestamp: fc.constantFrom(null, 'yesterday', '2026-11-21T09:00:00.123456789Z', '2999-01-01T00:00:00Z'),
  })
  .map(({ kind, ...fields }) => kindOfFailure(kind, fields));

async function emptyContent() {
  return createEmptyIndex(nodeFiles, await temporaryFolder(), null).content;
}

function newPacker(): LinePacker {
  const described = openDescribedIssues(createDescribedIssues());
  return new LinePacker({ described, batch: 1 });
}

function groupedBy(values: string | undefined): CommitGrouping {
  return { values, fingerprint: rememberedFingerprint };
}

/** All commits of a record, as they come out of one answer of a thread. */
async function packed(record: MemoryRecord): Promise<PackedCommit[][]> {
  const packer = newPacker();
  const instants: (readonly UnreadCommit[])[] = [];
  for await (const { commits } of record.replayUnread({ afterMicros: 0 })) {
    instants.push(commits);
    for (const commit of commits) {
      const bytes = bytesOf(await commit.read());
      const starts = lineStarts(bytes, commit.record.lines);
      const { fingerprints } = commit.record;
      packer.add(
        starts && { bytes, starts },
        groupedBy(typeof fingerprints === 'object' ? fingerprints.values : undefined),
      );
    }
  }
  // As it comes out of another thread.
  const answer = new PackedAnswer(structuredClone(packer.finish()));
  return instants.map((commits) =>
    commits.map((commit) => answer.next(commit, FINGERPRINT_VERSION)).filter((read) => read !== undefined),
  );
}

describe('packed lines', () => {
  it('give the index what the events themselves give it, whatever their texts are', async () => {
    const commits = fc.array(fc.array(payload, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(commits, fc.boolean(), async (all, storesFingerprints) => {
        const record = new MemoryRecord({ storesFingerprints });
        const [live, replayed] = [await emptyContent(), await emptyContent()];
        for (const [place, payloads] of all.entries()) {
          live.apply(record.commit(payloads, TEN_O_CLOCK_MICROS + place * 1000));
        }
        for (const instant of await packed(record)) expect(replayed.applyPacked(instant)).toBe(true);
        expect(await stateOf(replayed)).toEqual(await stateOf(live));
      }),
      { numRuns: 40 },
    );
  });

  it('are taken whole or not at all where an event of a new issue comes without what describes it', async () => {
    const record = new MemoryRecord();
    record.commit([kindOfFailure(1), kindOfFailure(2)], TEN_O_CLOCK_MICROS);
    record.commit([kindOfFailure(3), kindOfFailure(1)], TEN_O_CLOCK_MICROS + 1000);
    const [, second = []] = await packed(record);
    const content = await emptyContent();
    expect(content.applyPacked(second)).toBe(false);
    expect([content.issues.inOrder, content.segments.events, content.lastReceivedAtMicros]).toEqual([[], 0, 0]);
  });

  it('say of a commit with a line that is no payload that it is unread, and nothing of its lines', async () => {
    const packer = newPacker();
    const good = Buffer.concat([encodeRawLine(kindOfFailure(1)), Buffer.from('\n')]);
    const bad = Buffer.concat([good, Buffer.from('{"app":1}\n')]);
    packer.add({ bytes: bad, starts: lineStarts(bad, 2) ?? new Uint32Array() }, groupedBy(undefined));
    packer.add(undefined, groupedBy(undefined));
    packer.add({ bytes: good, starts: lineStarts(good, 1) ?? new Uint32Array() }, groupedBy('f'.repeat(32)));
    const { lines, times } = packer.finish();
    expect([[...lines], times.length]).toEqual([[UNREAD, UNREAD, 1], 1]);
  });

  it('keep a text once that many events share', () => {
    const packer = newPacker();
    const line = Buffer.concat([encodeRawLine(kindOfFailure(1)), Buffer.from('\n')]);
    const bytes = Buffer.concat(Array.from({ length: 1000 }, () => line));
    packer.add({ bytes, starts: lineStarts(bytes, 1000) ?? new Uint32Array() }, groupedBy(undefined));
    const { descriptions, services, texts, lines } = packer.finish();
    expect([...lines]).toEqual([1000]);
    expect([services.length, descriptions.length]).toEqual([2, 6]);
    expect(texts.length).toBeLessThanOrEqual(5);
  });
});
