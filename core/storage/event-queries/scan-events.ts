import { beginTimeSlice } from '../../time-slice.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { ReadEvent } from '../index/read-event.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { type BlockSize, EventBlock } from './event-block.js';
import type { EventWalk, SegmentSpan } from './event-cursor.js';
import type { EventPrefilter } from './event-prefilter.js';

export interface EventSelector {
  readonly record: Pick<RecordReader, 'readAt'>;
  readonly buffers: BufferPool;
  /** Skips events that cannot match, before they are read. Absent: none. */
  readonly prefilter?: EventPrefilter | undefined;
  /** Parses an event; undefined if it cannot be read, which leaves it out. */
  readonly read: (location: EventLocation, line: Uint8Array | undefined) => ReadEvent | undefined;
  /** Absent: all match. */
  readonly matches?: ((event: ReadEvent) => boolean) | undefined;
}

interface ScanBounds {
  readonly limit: number;
  readonly maxEvents: number;
  /** At least one block is scanned. */
  readonly budgetMs: number;
  /** Whether an earlier page scanned events with few matches, so that large blocks pay off at once. Default false. */
  readonly isContinued?: boolean;
}

interface ScannedEvents {
  readonly events: readonly ReadEvent[];
  readonly last: EventLocation | undefined;
  readonly scanned: number;
  readonly scannedBytes: number;
  readonly isEnd: boolean;
}

/** Blocks double in size: first matches come fast, and long scans read large blocks. */
const FIRST_BLOCK: BlockSize = { events: 128, bytes: 256 * 1024 };
const CONTINUED_BLOCK: BlockSize = { events: 4096, bytes: 2 * 1024 * 1024 };
const LARGEST_BLOCK: BlockSize = { events: 16_384, bytes: 4 * 1024 * 1024 };
const EVENTS_PER_CLOCK_CHECK = 16;

/** Selects events from a walk, in time slices. The next block is read while one is tested. */
export async function scanEvents(walk: EventWalk, selector: EventSelector, bounds: ScanBounds): Promise<ScannedEvents> {
  const { record, prefilter } = selector;
  const deadline = performance.now() + bounds.budgetMs;
  const slice = beginTimeSlice();
  const events: ReadEvent[] = [];
  let last: EventLocation | undefined;
  let scanned = 0;
  let scannedBytes = 0;
  let size = bounds.isContinued === true ? CONTINUED_BLOCK : FIRST_BLOCK;
  if (selector.matches === undefined) size = { events: bounds.limit, bytes: LARGEST_BLOCK.bytes };
  let walked = 0;
  let rest: SegmentSpan | undefined;
  const create = (): EventBlock => new EventBlock(prefilter, walk.ordinals, selector.buffers);
  const blocks: readonly [EventBlock, EventBlock] = [create(), create()];
  let loads = 0;

  const load = async (): Promise<EventBlock> => {
    const block = blocks[loads % 2 === 0 ? 0 : 1];
    loads += 1;
    block.begin({ ...size, events: Math.min(size.events, bounds.maxEvents - walked) });
    size = {
      events: Math.min(2 * size.events, LARGEST_BLOCK.events),
      bytes: Math.min(2 * size.bytes, LARGEST_BLOCK.bytes),
    };
    while (!block.isFull && (block.events === 0 || performance.now() < deadline)) {
      const span = rest ?? (await walk.spans.next()).value;
      if (span === undefined) break;
      const end = block.add(span, slice);
      rest = end > span.from ? { ...span, end, skipped: undefined } : undefined;
      if (slice.isOver) await slice.next();
    }
    walked += block.events;
    await block.read(record);
    return block;
  };

  /** Visits candidates until the page is full or the time slice ends; returns the next one. */
  const matchFrom = (block: EventBlock, from: number): number => {
    let at = from;
    for (; at < block.candidates && events.length < bounds.limit; at += 1) {
      if (at % EVENTS_PER_CLOCK_CHECK === 0 && at > from && slice.isOver) return at;
      if (!block.mayMatch(at)) continue;
      const location = block.locationOf(at);
      const event = location && selector.read(location, block.lineOf(at));
      if (event !== undefined && selector.matches?.(event) !== false) events.push(event);
    }
    return at;
  };

  const take = (block: EventBlock, candidate?: number): void => {
    const through = block.through(candidate);
    last = through.last ?? last;
    scanned += through.events;
    scannedBytes += through.bytes;
  };

  const finish = (isEnd: boolean): ScannedEvents => {
    for (const block of blocks) block.end();
    return { events, last, scanned, scannedBytes, isEnd };
  };

  for (let loading = load(); ; ) {
    const block = await loading;
    if (block.events === 0) return finish(walked < bounds.maxEvents);
    const isLast = performance.now() >= deadline || walked >= bounds.maxEvents;
    // If everything matches, the first block usually suffices.
    const following = isLast || selector.matches === undefined ? undefined : load();
    // Not awaited if the page fills up before.
    following?.catch(() => undefined);
    for (const range of block.ranges) {
      if (slice.isOver) await slice.next();
      block.test(range);
    }
    let at = matchFrom(block, 0);
    while (at < block.candidates && events.length < bounds.limit) {
      await slice.next();
      at = matchFrom(block, at);
    }
    if (events.length === bounds.limit) {
      take(block, at - 1);
      await following?.catch(() => undefined);
      return finish(false);
    }
    take(block);
    if (isLast) return finish(false);
    loading = following ?? load();
  }
}
