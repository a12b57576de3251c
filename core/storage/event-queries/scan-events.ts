import { beginTimeSlice } from '../../time-slice.js';
import type { ReadMemory } from '../events/read-buffers.js';
import type { ReadEvent } from '../events/read-event.js';
import type { EventPlace } from '../index/content/find-events.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { EventBlock, type PortionSize } from './event-block.js';
import type { EventWalk, SegmentSpan } from './event-cursor.js';
import type { EventPrefilter } from './event-prefilter.js';

/** How events are read and chosen. */
export interface EventChoice {
  readonly record: Pick<RecordReader, 'readAt'>;
  readonly memory: ReadMemory;
  /** Passes over events that cannot match, before they are read or parsed. Absent: none. */
  readonly sieve?: EventPrefilter | undefined;
  /** An event from its raw line; undefined for one that cannot be read, which is left out. */
  readonly read: (place: EventPlace, line: Uint8Array | undefined) => ReadEvent | undefined;
  /** Absent: all match. */
  readonly matches?: ((event: ReadEvent) => boolean) | undefined;
}

/** When a scan ends; then there may be more. */
export interface ScanBounds {
  /** Events that match. */
  readonly limit: number;
  /** Events that are looked at. */
  readonly maxEvents: number;
  /** Milliseconds; at least one portion is looked at. */
  readonly budgetMs: number;
  /** Whether events before these were looked at already, and few of them matched: then large portions come at once. Default: no. */
  readonly isContinued?: boolean;
}

/** What a scan came to. */
export interface ScannedEvents {
  readonly events: readonly ReadEvent[];
  /** The last event that was looked at; undefined where there was none. */
  readonly last: EventPlace | undefined;
  /** Looked at, also those that the sieve passed over. */
  readonly scanned: number;
  /** Of their raw lines, newlines included. */
  readonly scannedBytes: number;
  /** Whether there are no more events. */
  readonly isEnd: boolean;
}

/** A portion doubles from one to the next: the first matches are soon there, and long scans read large blocks. */
const FIRST_PORTION: PortionSize = { events: 128, bytes: 256 * 1024 };
const CONTINUED_PORTION: PortionSize = { events: 4096, bytes: 2 * 1024 * 1024 };
const LARGEST_PORTION: PortionSize = { events: 16_384, bytes: 4 * 1024 * 1024 };
/** Events between two looks at the clock. */
const EVENTS_PER_LOOK = 16;

/** Picks events from a walk. The next portion is read while one is looked at, and the event loop turns in between. */
export async function scanEvents(walk: EventWalk, choice: EventChoice, bounds: ScanBounds): Promise<ScannedEvents> {
  const { record, sieve } = choice;
  const deadline = performance.now() + bounds.budgetMs;
  const slice = beginTimeSlice();
  const events: ReadEvent[] = [];
  let last: EventPlace | undefined;
  let scanned = 0;
  let scannedBytes = 0;
  let size = bounds.isContinued === true ? CONTINUED_PORTION : FIRST_PORTION;
  if (choice.matches === undefined) size = { events: bounds.limit, bytes: LARGEST_PORTION.bytes };
  let walked = 0;
  let rest: SegmentSpan | undefined;
  const create = (): EventBlock => new EventBlock(sieve, walk.ordinals, choice.memory);
  const portions: readonly [EventBlock, EventBlock] = [create(), create()];
  let loads = 0;

  const load = async (): Promise<EventBlock> => {
    const portion = portions[loads % 2 === 0 ? 0 : 1];
    loads += 1;
    portion.begin({ ...size, events: Math.min(size.events, bounds.maxEvents - walked) });
    size = {
      events: Math.min(2 * size.events, LARGEST_PORTION.events),
      bytes: Math.min(2 * size.bytes, LARGEST_PORTION.bytes),
    };
    while (!portion.isFull && (portion.events === 0 || performance.now() < deadline)) {
      const span = rest ?? (await walk.next());
      if (span === undefined) break;
      const end = portion.add(span, slice);
      rest = end > span.from ? { ...span, end } : undefined;
      if (slice.isOver) await slice.next();
    }
    walked += portion.events;
    await portion.read(record);
    return portion;
  };

  /** Looks at candidates from one on; answers the next one, or where the page is full. */
  const lookAt = (portion: EventBlock, from: number): number => {
    let at = from;
    for (; at < portion.candidates && events.length < bounds.limit; at += 1) {
      if (at % EVENTS_PER_LOOK === 0 && at > from && slice.isOver) return at;
      if (!portion.mayMatch(at)) continue;
      const place = portion.placeOf(at);
      const event = place && choice.read(place, portion.lineOf(at));
      if (event !== undefined && choice.matches?.(event) !== false) events.push(event);
    }
    return at;
  };

  const take = (portion: EventBlock, candidate?: number): void => {
    const through = portion.through(candidate);
    last = through.last ?? last;
    scanned += through.events;
    scannedBytes += through.bytes;
  };

  const finish = (isEnd: boolean): ScannedEvents => {
    for (const portion of portions) portion.end();
    return { events, last, scanned, scannedBytes, isEnd };
  };

  for (let loading = load(); ; ) {
    const portion = await loading;
    if (portion.events === 0) return finish(walked < bounds.maxEvents);
    const isLast = performance.now() >= deadline || walked >= bounds.maxEvents;
    // Where everything matches, the first portion is nearly always enough.
    const following = isLast || choice.matches === undefined ? undefined : load();
    // Nobody waits for it where the page is full before.
    following?.catch(() => undefined);
    for (let block = 0; block < portion.blocks; block += 1) {
      if (slice.isOver) await slice.next();
      portion.test(block);
    }
    let at = lookAt(portion, 0);
    while (at < portion.candidates && events.length < bounds.limit) {
      await slice.next();
      at = lookAt(portion, at);
    }
    if (events.length === bounds.limit) {
      take(portion, at - 1);
      await following?.catch(() => undefined);
      return finish(false);
    }
    take(portion);
    if (isLast) return finish(false);
    loading = following ?? load();
  }
}
