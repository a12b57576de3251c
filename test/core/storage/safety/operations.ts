import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ISSUE_SORTS } from '../../../../core/contract/reader.js';
import type { EventId } from '../../../../core/event/ids.js';
import { MICROS_PER_HOUR } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { COMMITS_FILE } from '../../../../core/storage/record/partitions/partition-path.js';
import { walkPartitions } from '../../../../core/storage/record/partitions/walk-partitions.js';
import type { IssueSummary } from '../../../../generated/reader-answers.js';
import { expectSame } from '../../../helpers/expect-same.js';
import { createMemoryDisk, type Fate, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { openAudited } from './audit.js';
import type { LivingStore } from './living-store.js';
import type { SeededRandom } from './seeded-random.js';
import { countOf, eventOf } from './sent-events.js';
import { StoreModel } from './store-model.js';

/** 2026-11-21 10:00 UTC. */
const TEN_O_CLOCK_MS = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;
const RETAINED_MS = 3 * HOUR_MS;
/** More partitions than a group commit has instants. */
const MANY_SERVICES = 20;

/** A folder over which stores come and go, and what must be true of it. */
export class StoreWorld {
  readonly random: SeededRandom;
  readonly model = new StoreModel();
  readonly clock = { nowMs: TEN_O_CLOCK_MS };
  /** Nothing is too old until `retain` says so: looks of the store's own would come when they like. */
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

  /** Lets something go on while later operations begin. */
  begin(work: Promise<unknown>): void {
    this.#running.push(work);
  }

  /** Waits for all that was begun. */
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

  /** Ends the process, or with it the power, in the middle of what is running; the next one finds what is left. */
  async end(luck?: () => number): Promise<void> {
    this.disk = this.living.end(luck);
    await this.settle();
    await this.open();
  }
}

/** One thing that may happen to a store. */
export interface Operation {
  readonly name: string;
  /** How often it is chosen, in proportion to the others. */
  readonly weight: number;
  run(world: StoreWorld): Promise<void>;
}

/** Everything that happens to a store. */
const OPERATIONS: readonly [Operation, ...Operation[]] = [
  { name: 'append', weight: 30, run: async (world) => world.begin(world.living.append(someEvents(world))) },
  {
    name: 'append with a mark',
    weight: 5,
    run: async (world) =>
      world.begin(world.living.append(someEvents(world), { batchId: `mark ${world.model.batches}` })),
  },
  { name: 'comment', weight: 6, run: comment },
  {
    name: 'checkpoint',
    weight: 8,
    run: async (world) => world.begin(world.living.store.checkpoint().catch(isRefusal)),
  },
  { name: 'a while', weight: 8, run: someTurns },
  { name: 'all is answered', weight: 10, run: (world) => world.settle() },
  { name: 'the next hour', weight: 3, run: turnClock((random) => HOUR_MS * random.integer(1, 3)) },
  { name: 'minutes', weight: 4, run: turnClock((random) => random.integer(0, HOUR_MS / 4)) },
  { name: 'a clock that goes back', weight: 2, run: turnClock((random) => -random.integer(1, 2 * HOUR_MS)) },
  { name: 'a clock that jumps a day', weight: 1, run: turnClock(() => 24 * HOUR_MS) },
  { name: 'reopen', weight: 2, run: reopen },
  { name: 'commit records are lost', weight: 2, run: loseCommits },
  { name: 'kill', weight: 3, run: (world) => world.end() },
  { name: 'power loss', weight: 3, run: (world) => world.end(world.random.next) },
  { name: 'a disk that refuses', weight: 5, run: refuseForAWhile },
  { name: 'retention', weight: 3, run: retain },
  { name: 'issues', weight: 4, run: readIssues },
  { name: 'pages of events while others arrive', weight: 6, run: readPages },
  { name: 'event by id', weight: 5, run: readEvent },
];

/** Picks an operation in proportion to the weights. */
export function pickOperation(random: SeededRandom): Operation {
  const all = OPERATIONS.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.next() * all;
  for (const operation of OPERATIONS) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  return OPERATIONS[0];
}

/** A batch for a few partitions or for many, of short lines and now and then long ones. */
export function someEvents({ random, model }: Pick<StoreWorld, 'random' | 'model'>) {
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

/** What a disk that says no may make of a call. */
function isRefusal(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(ENOSPC|EIO|STORE_UNAVAILABLE|INDEX_UNUSABLE)$/) });
}

async function comment(world: StoreWorld): Promise<void> {
  const issue = await someIssue(world);
  if (issue !== undefined) world.begin(world.living.comment(issue.issue_id));
}

async function someIssue({ living, random }: StoreWorld): Promise<IssueSummary | undefined> {
  const { issues } = await living.store.reader.listIssues({ limit: 500 });
  return issues[random.integer(0, Math.max(0, issues.length - 1))];
}

async function someTurns({ random }: StoreWorld): Promise<void> {
  for (let turns = random.integer(1, 30); turns > 0; turns -= 1) await turn();
}

function turnClock(by: (random: SeededRandom) => number): Operation['run'] {
  return async ({ clock, random }) => {
    clock.nowMs += by(random);
  };
}

/** After a clean stop: the index knows every line, and the next start writes the records again. */
async function loseCommits(world: StoreWorld): Promise<void> {
  const { disk, random, living } = world;
  const keptFrom = await living.removedBeforeMicros();
  await world.close();
  for (const { folder, hour } of await walkPartitions(disk.files, MEMORY_ROOT)) {
    const path = join(MEMORY_ROOT, folder, COMMITS_FILE);
    if ((hour + 1) * MICROS_PER_HOUR <= keptFrom || random.percent(60) || !(await disk.files.stat(path))) continue;
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

/** Some calls are refused, from some call on; then the disk is as it was. */
async function refuseForAWhile({ disk, random }: StoreWorld): Promise<void> {
  const first = random.integer(0, 10);
  const last = first + random.integer(1, 12);
  const fate: Fate = { code: random.pick(['ENOSPC', 'EIO']), effect: random.pick(['none', 'part', 'whole']) };
  let calls = 0;
  disk.fateOf = () => {
    calls += 1;
    return calls > first && calls <= last ? fate : undefined;
  };
}

/** By every sort each issue is listed once, and counts the events that were answered. */
async function readIssues(world: StoreWorld): Promise<void> {
  await world.settle();
  const counts = new Map<string, number>();
  for (const { issue, text } of world.model.known.values()) counts.set(issue, (counts.get(issue) ?? 0) + countOf(text));
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

/** No page repeats an event of another one, and none that was there before the first page is left out. */
async function readPages(world: StoreWorld): Promise<void> {
  const issue = await someIssue(world);
  if (issue === undefined) return;
  const name = `${issue.error_name} ${issue.service}`;
  const before = [...world.model.known.values()].filter((event) => event.issue === name);
  const ids: EventId[] = [];
  const limit = world.random.integer(1, 20);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await world.living.store.reader.listEvents(issue.issue_id, { limit, ...(cursor && { cursor }) });
    ids.push(...(page?.events ?? []).map(({ event_id: id }) => id));
    cursor = page?.next_cursor ?? null;
    if (world.random.percent(30)) world.begin(world.living.append(someEvents(world)));
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

/** Removes what is older than three hours, whole hours of it, and nothing else. */
async function retain(world: StoreWorld): Promise<void> {
  const { model, living, retention } = world;
  if (world.random.percent(60)) await world.settle();
  retention.maxAgeMs = RETAINED_MS;
  const removal = living.store.retain().catch(isRefusal);
  if (world.random.percent(20)) {
    await someTurns(world);
    await world.end(world.random.percent(50) ? world.random.next : undefined);
  } else {
    await removal;
    const gone = model.forget(await living.removedBeforeMicros());
    const read = await Promise.all(gone.map(({ eventId }) => living.store.reader.getEvent(eventId)));
    expect(read.filter((event) => event !== undefined)).toEqual([]);
  }
  retention.maxAgeMs = 0;
}
