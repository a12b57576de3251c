import type { JsonObject } from '../../../core/event/json.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { toFault } from '../../http/problem.js';
import type { Consumer } from '../../pipeline.js';
import { MAX_HOPS } from './faultline-record.js';
import type { FindSpan, FoundSpans } from './known-span.js';
import type { LaterItems, LaterOptions } from './later-items.js';
import { type NewFailures, storeNew } from './new-failures.js';
import type { OccurrenceMemory } from './occurrence-memory.js';
import { hopsOfFailure, type OtlpFailure } from './otlp-failure.js';
import type { OtlpBadRecord } from './otlp-records.js';
import type { RequestItem } from './read-failures.js';
import type { RecordIdMemory } from './record-id-memory.js';

/** Where the items of a request go, and what is known of it. */
export interface ItemIntakeOptions extends LaterOptions {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly consumer: Consumer;
  readonly occurrences: OccurrenceMemory;
  readonly recordIds: RecordIdMemory;
  /** Told of records that came over too many Faultlines, after they were rejected. */
  readonly onLoop: (records: number) => void;
  readonly later: LaterItems;
}

/** Some items of a request, the first of which stands at `firstPlace`. */
interface PlacedItems {
  readonly items: RequestItem[];
  readonly firstPlace: number;
  readonly find: FindSpan;
}

/** A failure in the form of a raw payload; undefined while a span is waited for. */
interface MappedFailure {
  readonly place: number;
  readonly failure: OtlpFailure;
  readonly joined: FoundSpans;
  readonly value: JsonObject | undefined;
}

/** A record that is not taken. */
interface BadItem {
  readonly place: number;
  readonly code: string;
  readonly bad: OtlpBadRecord;
}

const BAD_RECORD = 'OTLP_RECORD_INVALID';
const LOOP = 'OTLP_TOO_MANY_HOPS';

/**
 * Takes some items of a request and empties the list: only failures that wait for a span are held while the disk is waited for.
 * Resolves when each that was not done is, or stands among those for later; throws when the line refuses, with the progress saying how far it came.
 */
export async function takeItems({ items, firstPlace, find }: PlacedItems, options: ItemIntakeOptions): Promise<void> {
  const bad: BadItem[] = [];
  const mapped: MappedFailure[] = [];
  const slice = beginTimeSlice();
  let place = firstPlace;
  for (const item of items) {
    const at = place++;
    if (options.progress.isDone(at)) continue;
    if (item.kind === 'bad') bad.push({ place: at, code: item.bad.code ?? BAD_RECORD, bad: item.bad });
    else if (hopsOfFailure(item.failure) > MAX_HOPS) bad.push(loopItem(at, item, options));
    else {
      const { failure, joined } = item;
      mapped.push({ place: at, failure, joined, value: mapUnlessItWaits(failure, joined, options) });
    }
    if (slice.isOver) await slice.next();
  }
  items.length = 0;
  const fresh = claimAll(mapped, find, options);
  mapped.length = 0;
  await storeNew(fresh, options);
  await reject(bad, options);
}

/** Sending it again does not help: exporters of Faultlines lead back to where it was. */
function loopItem(
  place: number,
  { failure, joined }: Extract<RequestItem, { kind: 'failure' }>,
  { map }: ItemIntakeOptions,
): BadItem {
  const reason = `came over more than ${MAX_HOPS} Faultlines: the exporters of some of them form a loop`;
  return { place, code: LOOP, bad: { reason, received: Buffer.from(JSON.stringify(map(failure, joined))) } };
}

function mapUnlessItWaits(
  failure: OtlpFailure,
  joined: FoundSpans,
  { later, late, map }: ItemIntakeOptions,
): JsonObject | undefined {
  if (later.mayWait === 0 || !late.wouldWait(failure, joined)) return map(failure, joined);
  later.mayWait--;
  return undefined;
}

/** All are mapped by now, or wait for a span: whatever goes wrong between a claim and its end must end it, because others wait for it. */
function claimAll(
  mapped: readonly MappedFailure[],
  find: FindSpan,
  { occurrences, recordIds, later }: ItemIntakeOptions,
): NewFailures {
  const fresh: NewFailures = { failures: [], values: [] };
  for (const { place, failure, joined, value } of mapped) {
    const claim = recordIds.claim(failure) ?? occurrences.claim(failure);
    if (claim.kind === 'repeated') later.repeated.push({ place, settled: claim.settled });
    else if (value === undefined) later.broken.push({ place, claim, failure, joined, find });
    else {
      fresh.failures.push({ place, claim });
      fresh.values.push(value);
    }
  }
  return fresh;
}

async function reject(bad: readonly BadItem[], options: ItemIntakeOptions): Promise<void> {
  if (bad.length === 0) return;
  const { receiver, consumer, account, progress, onLoop } = options;
  const rejected = bad.map(({ code, bad: { reason, received } }) => {
    return { code, field: '', reason, received, bytes: received.length };
  });
  try {
    await consumer.consume({ receiver, events: [], rejected });
  } catch (error) {
    account.lost('refused', toFault(error).code, bad.length);
    throw error;
  }
  for (const { place, code, bad: one } of bad) {
    account.lost('rejected', code);
    progress.reject(place, one.reason);
  }
  const loops = bad.filter(({ code }) => code === LOOP).length;
  if (loops > 0) onLoop(loops);
}
