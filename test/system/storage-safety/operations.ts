import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ISSUE_SORTS } from '../../../core/contract/reader.js';
import type { EventId } from '../../../core/event/ids.js';
import { MICROS_PER_HOUR } from '../../../core/storage/record/partitions/arrival-clock.js';
import { COMMITS_FILE, walkPartitions } from '../../../core/storage/record/partitions/partition-path.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { createMemoryDisk, type Fate, MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import { openAudited } from '../../core/storage/safety/audit.js';
import type { LivingStore } from '../../core/storage/safety/living-store.js';
import type { SeededRandom } from '../../core/storage/safety/seeded-random.js';
import { eventOf, weightOf } from '../../core/storage/safety/sent-events.js';
import { StoreModel } from '../../core/storage/safety/store-model.js';
import { TEN_O_CLOCK_MS } from '../../core/storage/ten-o-clock.js';
import { expectSame } from '../../helpers/expect-same.js';

const HOUR_MS = 3_600_000;
const RETAINED_MS = 3 * HOUR_MS;
/** More partitions than the timestamps of a group commit. */
const MANY_SERVICES = 20;

/** A folder that is opened and closed many times, and its expected content. */
export class StoreWorld {
  readonly random: SeededRandom;
  readonly model = new StoreModel();
  readonly clock = { nowMs: TEN_O_CLOCK_MS };
  /** Unbounded until `retain`: the timer of the store would remove events at unpredictable times. */
  readonly retention = { maxAgeMs: 0, maxBytes: 0 };
  disk: MemoryDisk = createMemoryDisk();
  #living: LivingStore | undefined;
  #running: Promise<unknown>[] = [];

  constructor(random: SeededRandom) {
    this.random = random;
  }

  get living(): LivingStore {
    if (this.#living === undefined) throw new Error('the store is closed');
    return this.#living;
  }

  /** Runs work while later operations begin. */
  begin(work: Promise<unknown>): void {
    this.#running.push(work);
  }

  /** Waits for all work that was begun. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.splice(0));
  }

  async open(): Promise<void> {
    this.disk.fateOf = undefined;
    this.#living = await openAudited(this);
  }

  async close(): Promise<void> {
    await this.settle();
    this.disk.fateOf = undefined;
    await this.living.store.close();
  }

  /** Kills the process, or fails the power if `luck` is given, and opens the folder again. */
  async end(luck?: () => number): Promise<void> {
    this.disk = this.living.end(luck);
    await this.settle();
    await this.open();
  }
}

/** A random operation on a store. */
export interface Operation {
  readonly name: string;
  /** Its probability, relative to the other operations. */
  readonly weight: number;
  run(world: StoreWorld): Promise<void>;
}

const OPERATIONS: readonly [Operation, ...Operation[]] = [
  { name: 'append', weight: 30, run: async (world) => world.begin(world.living.append(randomEvents(world))) },
  {
    name: 'append with a batch id',
    weight: 5,
    run: async (world) =>
      world.begin(world.living.append(randomEvents(world), { batchId: `mark ${world.model.batches}` })),
  },
  { name: 'comment', weight: 6, run: comment },
  {
    name: 'checkpoint',
    weight: 8,
    run: async (world) => world.begin(world.living.store.checkpoint().catch(expectRefusal)),
  },
  { name: 'wait', weight: 8, run: randomTurns },
  { name: 'wait for all responses', weight: 10, run: (world) => world.settle() },
  { name: 'the next hour', weight: 3, run: moveClock((random) => HOUR_MS * random.integer(1, 3)) },
  { name: 'minutes', weight: 4, run: moveClock((random) => random.integer(0, HOUR_MS / 4)) },
  { name: 'a clock that goes back', weight: 2, run: moveClock((random) => -random.integer(1, 2 * HOUR_MS)) },
  { name: 'a clock that jumps a day', weight: 1, run: moveClock(() => 24 * HOUR_MS) },
  { name: 'reopen', weight: 2, run: reopen },
  { name: 'commit records are lost', weight: 2, run: loseCommits },
  { name: 'kill', weight: 3, run: (world) => world.end() },
  { name: 'power loss', weight: 3, run: (world) => world.end(world.random.next) },
  { name: 'a failing disk', weight: 5, run: failSomeCalls },
  { name: 'retention', weight: 3, run: retain },
  { name: 'issues', weight: 4, run: readIssues },
  { name: 'pages of events while others arrive', weight: 6, run: readPages },
  { name: 'event by id', weight: 5, run: readEvent },
];

/** Picks an operation in proportion to the weights. */
export function pickOperation(random: SeededRandom): Operation {
  const total = OPERATIONS.reduce((sum, { weight }) => sum + weight, 0);
  let rest = random.next() * total;
  for (const operation of OPERATIONS) {
    rest -= operation.weight;
    if (rest < 0) return operation;
  }
  return OPERATIONS[0];
}

/** Returns a batch for a few or many partitions, mostly of short lines. */
export function randomEvents({ random, model }: Pick<StoreWorld, 'random' | 'model'>) {
  const batch = model.batches;
  const services = random.percent(8) ? MANY_SERVICES : 3;
  const count = random.percent(3)
    ? random.integer(100, 300)
    : random.percent(20)
      ? random.integer(7, 40)
      : random.integer(1, 6);
  const paddings = random.percent(15) ? 9_000 : 40;
  return Array.from({ length: count }, (_, index) =>
    eventOf({
      message: `${batch} ${index}`,
      service: `s${random.integer(1, services)}`,
      env: random.percent(80) ? 'p' : 'q',
      kind: random.integer(0, 5),
      padding: random.integer(0, paddings),
      ...(random.percent(15) && { sampled: random.integer(1, 400) }),
    }),
  );
}

/** Expects an error that a failing disk may cause. */
function expectRefusal(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(ENOSPC|EIO|STORE_UNAVAILABLE|INDEX_UNUSABLE)$/) });
}

async function comment(world: StoreWorld): Promise<void> {
  const issue = await randomIssue(world);
  if (issue !== undefined) world.begin(world.living.comment(issue.issue_id));
}

async function randomIssue({ living, random }: StoreWorld): Promise<IssueSummary | undefined> {
  const { issues } = await living.store.reader.listIssues({ limit: 500 });
  return issues[random.integer(0, Math.max(0, issues.length - 1))];
}

async function randomTurns({ random }: StoreWorld): Promise<void> {
  for (let turns = random.integer(1, 30); turns > 0; turns -= 1) await turn();
}

function moveClock(by: (random: SeededRandom) => number): Operation['run'] {
  return async ({ clock, random }) => {
    clock.nowMs += by(random);
  };
}

/** Removes commit records after a clean stop: the next start restores them from the index. */
async function loseCommits(world: StoreWorld): Promise<void> {
  const { disk, random, living } = world;
  const removedBefore = await living.removedBeforeMicros();
  await world.close();
  for (const { folder, hour } of await walkPartitions(disk.files, MEMORY_ROOT)) {
    const path = join(MEMORY_ROOT, folder, COMMITS_FILE);
    if ((hour + 1) * MICROS_PER_HOUR <= removedBefore || random.percent(60) || !(await disk.files.stat(path))) continue;
    if (random.percent(30)) await disk.files.unlink(path);
    else {
      const file = await disk.files.open(path, 'write');
      await file.truncate(random.integer(0, await file.size()));
      await file.close();
    }
  }
  await world.open();
}

async function reopen(world: StoreWorld): Promise<void> {
  await world.close();
  await world.open();
}

/** Lets some later calls of the disk fail. */
async function failSomeCalls({ disk, random }: StoreWorld): Promise<void> {
  const first = random.integer(0, 10);
  const last = first + random.integer(1, 12);
  const fate: Fate = { code: random.pick(['ENOSPC', 'EIO']), effect: random.pick(['none', 'part', 'whole']) };
  let calls = 0;
  disk.fateOf = () => {
    calls += 1;
    return calls > first && calls <= last ? fate : undefined;
  };
}

/** Every sort lists each issue once, with the count of its acknowledged events. */
async function readIssues(world: StoreWorld): Promise<void> {
  await world.settle();
  const counts = new Map<string, number>();
  for (const { issue, text } of world.model.known.values())
    counts.set(issue, (counts.get(issue) ?? 0) + weightOf(text));
  for (const sort of ISSUE_SORTS) {
    const listed: [string, number][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await world.living.store.reader.listIssues({ sort, limit: 4, ...(cursor && { cursor }) });
      for (const { error_name: name, service, count } of page.issues) {
        if (count > 0) listed.push([`${name} ${service}`, count]);
      }
      cursor = page.next_cursor;
    }
    expectSame(listed.sort(), [...counts].sort());
  }
}

/** Pages do not repeat events, and contain all events that were stored before the first page. */
async function readPages(world: StoreWorld): Promise<void> {
  const issue = await randomIssue(world);
  if (issue === undefined) return;
  const name = `${issue.error_name} ${issue.service}`;
  const before = [...world.model.known.values()].filter((event) => event.issue === name);
  const ids: EventId[] = [];
  const limit = world.random.integer(1, 20);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await world.living.store.reader.listEvents(issue.issue_id, { limit, ...(cursor && { cursor }) });
    ids.push(...(page?.events ?? []).map(({ event_id: id }) => id));
    cursor = page?.next_cursor ?? null;
    if (world.random.percent(30)) world.begin(world.living.append(randomEvents(world)));
  }
  const read = new Set(ids);
  expect(read.size).toBe(ids.length);
  expect(before.filter(({ eventId }) => !read.has(eventId))).toEqual([]);
}

async function readEvent({ living, model, random }: StoreWorld): Promise<void> {
  const known = [...model.known.values()];
  const event = known[random.integer(0, Math.max(0, known.length - 1))];
  if (event === undefined) return;
  const found = await living.store.reader.getEvent(event.eventId);
  expect([found?.event_id, found?.raw.line, JSON.stringify(found?.raw.payload)]).toEqual([
    event.eventId,
    event.line,
    event.text,
  ]);
}

/** Removes the hours that ended more than three hours ago. */
async function retain(world: StoreWorld): Promise<void> {
  const { model, living, retention } = world;
  if (world.random.percent(60)) await world.settle();
  retention.maxAgeMs = RETAINED_MS;
  const removal = living.store.retain().catch(expectRefusal);
  if (world.random.percent(20)) {
    await randomTurns(world);
    await world.end(world.random.percent(50) ? world.random.next : undefined);
  } else {
    await removal;
    const removed = model.forget(await living.removedBeforeMicros());
    const read = await Promise.all(removed.map(({ eventId }) => living.store.reader.getEvent(eventId)));
    expect(read.filter((event) => event !== undefined)).toEqual([]);
  }
  retention.maxAgeMs = 0;
}
