import { hash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FailureReader } from '../../../core/contract/reader.js';
import { unqualifiedName } from '../../../core/event/class-name.js';
import { Fault } from '../../../core/event/fault.js';
import type { EventId, FingerprintValue } from '../../../core/event/ids.js';
import { type RawPayload, weightOf } from '../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import type { Grouper } from '../../../core/fingerprint/grouper.js';
import { type GroupingSettings, groupingKey } from '../../../core/fingerprint/grouping-settings.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import { removeTree } from '../../../core/storage/files/store-files.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { serverPayload } from '../../helpers/payloads.js';
import { expectCountsOfRecord, type IsOwnIssue } from './counts-of-record.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from './record/memory-disk.js';
import { BY_MESSAGE, BY_NAME } from './regroup/regrouped-folder.js';
import { everything, HOUR_MS } from './retention/folder-under-retention.js';
import { TEN_O_CLOCK_MS } from './ten-o-clock.js';

/** Longer than any test: only a test starts checkpoints and removals. */
const NEVER_MS = 2 ** 30;

/** Version 1 groups by error name, others by stack, else message. */
function createGrouper(settings: GroupingSettings): Grouper {
  const { version } = settings;
  const fingerprint = ({ error_name: name, message, stack }: RawPayload): Fingerprint => {
    const key = version === 1 ? name : (stack ?? message);
    return {
      value: hash('sha256', `${version} ${key}`).slice(0, 32) as FingerprintValue,
      version,
      title: key,
      culprit: version === 1 ? null : stack,
      basis: { version, rule: 'message', parts: [] },
    };
  };
  return { settings, key: groupingKey(settings), fingerprint };
}

/** A report of any signal: only what its payload says matters to the store. */
const REPORT = fc.record({
  names: fc.constantFrom(['shop', 'web'], ['shop', 'api'], ['till', 'web'], ['project-1', 'project-1']),
  env: fc.constantFrom('live', 'test'),
  release: fc.constantFrom(null, '1', '2'),
  // A log line without an exception, an OTLP log record, its span event, another exception.
  error_name: fc.constantFrom('', 'Declined', 'pay.Declined', 'KeyError'),
  message: fc.constantFrom('card refused', 'checkout failed'),
  stack: fc.constantFrom(null, 'at charge', 'at handle'),
  level: fc.constantFrom('error', 'critical'),
  user_id: fc.constantFrom(null, 'u1', 'u2'),
  ageMs: fc.constantFrom(0, 5_000, 70_000),
  sampled: fc.constantFrom(0, 0, 0, 3),
  /** Which of the stored events, newest first, it repeats. */
  repeats: fc.option(fc.nat(5)),
  /** Whether it then has the names and the class of that event. */
  isAlike: fc.boolean(),
});
type Report = typeof REPORT extends fc.Arbitrary<infer One> ? One : never;

const STEP = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      reports: fc.array(REPORT, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(60_000, 3_000_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('checkpoint', 'restart', 'kill') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('retain' as const), afterHours: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('group by name', 'group by message', 'roll back') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), one: fc.nat(9), other: fc.nat(9) }) },
);

/** As another signal names the same class. */
function otherNameOf(name: string): string {
  const bare = unqualifiedName(name);
  return bare === name && name !== '' ? `pay.${name}` : bare;
}

/** A store that random steps act on. */
class World {
  readonly clock = { nowMs: TEN_O_CLOCK_MS };
  readonly faults: Error[] = [];
  /** Newest first. */
  readonly #stored: { readonly id: EventId; readonly report: Report }[] = [];
  /** Sum of the weights of everything sent. */
  occurrences = 0;
  /** Whether retention removed an event. */
  hasRemoved = false;
  disk: MemoryDisk = createMemoryDisk();
  store!: EventStore;

  async open(): Promise<void> {
    const { disk } = this;
    this.store = await openEventStore({
      directory: MEMORY_ROOT,
      files: disk.files,
      createGrouper,
      retention: { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 },
      checkpointIntervalMs: NEVER_MS,
      retentionIntervalMs: NEVER_MS,
      nowMs: () => this.clock.nowMs,
      onFault: (fault) => {
        // A killed process reports that its disk is gone.
        if (disk === this.disk) this.faults.push(fault);
      },
    });
  }

  async send(reports: readonly Report[]): Promise<void> {
    const payloads = reports.map((report) => this.#payloadOf(report));
    const events = payloads.map((payload) => ({ payload, fingerprint: this.store.grouper.fingerprint(payload) }));
    const stored = await this.store.append(events, { groupedBy: this.store.grouper.key });
    for (const payload of payloads) this.occurrences += weightOf(payload.extra);
    for (const [index, { event_id: id }] of stored.entries()) {
      const report = reports[index];
      if (report !== undefined) this.#stored.unshift({ id, report });
    }
    this.clock.nowMs += 1_000;
  }

  #payloadOf(report: Report): RawPayload {
    const { ageMs, sampled, repeats, isAlike, names: _, ...fields } = report;
    const counted = repeats === null ? undefined : this.#stored[repeats];
    const {
      names: [app = '', service = ''],
      error_name: name,
    } = isAlike && counted !== undefined ? counted.report : report;
    const error_name = isAlike && counted !== undefined ? otherNameOf(name) : name;
    const faultline = { ...(sampled > 0 && { sampled }), ...(counted !== undefined && { repeats: counted.id }) };
    const timestamp = new Date(this.clock.nowMs - ageMs).toISOString();
    return serverPayload({ ...fields, app, service, error_name, timestamp, extra: { faultline } });
  }

  /** Acts as an operator; what the store refuses changes nothing. */
  async attempt(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
    });
  }

  async merge(one: number, other: number): Promise<void> {
    const { issues } = await this.store.reader.listIssues({ limit: 500, sort: 'first_seen' });
    const [into, from] = [issues[one % issues.length], issues[other % issues.length]];
    if (into === undefined || from === undefined || into === from) return;
    await this.attempt(() => this.store.act(into.issue_id, { action: 'merge', issues: [from.issue_id] }));
  }

  async retain(afterHours: number): Promise<void> {
    this.clock.nowMs += afterHours * HOUR_MS;
    await this.store.retain();
    const { removed } = await this.store.reader.stats();
    this.hasRemoved = removed.events > 0;
  }

  /** Ends the process, and opens the folder again. */
  async reopen(how: 'restart' | 'kill'): Promise<void> {
    const before = await everything(this.store.reader);
    const dying = this.store;
    if (how === 'kill') this.disk = this.disk.kill();
    await dying.close().catch(() => undefined);
    await this.open();
    expect(await everything(this.store.reader)).toEqual(before);
  }
}

async function run(world: World, step: typeof STEP extends fc.Arbitrary<infer One> ? One : never): Promise<void> {
  const { store } = world;
  if (step.kind === 'send') await world.send(step.reports);
  else if (step.kind === 'wait') world.clock.nowMs += step.ms;
  else if (step.kind === 'checkpoint') await store.checkpoint();
  else if (step.kind === 'retain') await world.retain(step.afterHours);
  else if (step.kind === 'group by name') await store.regroup.apply(BY_NAME);
  else if (step.kind === 'group by message') await store.regroup.apply(BY_MESSAGE);
  else if (step.kind === 'roll back') await world.attempt(() => store.regroup.rollBack());
  else if (step.kind === 'merge') await world.merge(step.one, step.other);
  else await world.reopen(step.kind);
}

/** Every event in full; those that are listed with another one too. */
async function everyEvent(reader: FailureReader) {
  const { events } = await reader.searchEvents({ query: 'event_id:*', limit: 500 });
  return await Promise.all(events.map(async (event) => [event, await reader.getEvent(event.event_id)]));
}

describe('reports and repetitions in any order, across apps, services, environments, releases and signals', () => {
  it('count the same live, after a replay, in a rebuilt index, and by the raw record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 16, size: 'max' }), async (steps) => {
        const world = new World();
        await world.open();
        for (const step of steps) await run(world, step);
        const live = await everything(world.store.reader);
        const details = await everyEvent(world.store.reader);
        const folder = { files: world.disk.files, directory: MEMORY_ROOT };
        const isOwn: IsOwnIssue = ({ error_name: name, message, stack }, { title }) =>
          [name, message, stack].includes(title);
        const { hasRemoved } = world;
        expect(await expectCountsOfRecord(world.store.reader, folder, { isOwn, hasRemoved })).toBe(world.occurrences);
        await world.reopen('kill');
        await world.store.close();
        const findings: string[] = [];
        const { files } = world.disk;
        await verifyFolder({
          directory: MEMORY_ROOT,
          files,
          createGrouper,
          onFinding: ({ severity, damage }) => severity === 'damage' && findings.push(damage),
        });
        expect(findings).toEqual([]);
        await removeTree(files, join(MEMORY_ROOT, 'index'));
        const nowMs = () => world.clock.nowMs;
        const rebuilt = await openFolderReader({ directory: MEMORY_ROOT, files, createGrouper, nowMs });
        expect(await everything(rebuilt)).toEqual(live);
        expect(await everyEvent(rebuilt)).toEqual(details);
        await rebuilt.close();
        expect(world.faults).toEqual([]);
      }),
      // A run takes 70 ms.
      { numRuns: 30 },
    );
  });
});
