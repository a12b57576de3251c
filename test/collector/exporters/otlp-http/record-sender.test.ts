import type { Delivered } from '../../../../collector/exporters/otlp-http/deliver.js';
import { halveBatch, RecordSender } from '../../../../collector/exporters/otlp-http/record-sender.js';
import type {
  FollowedBatch,
  FollowedEvent,
  FollowPosition,
} from '../../../../core/storage/following/record-follower.js';
import { waitFor } from '../../../helpers/wait-for.js';

function placeAfter(passed: number): FollowPosition {
  return { receivedAtMicros: 0, taken: 0, passed };
}

/** Events with nothing to them but their place. */
function batchOf(from: number, to: number): FollowedBatch {
  const places = Array.from({ length: to - from }, (_, place) => from + place + 1);
  return { events: places.map((passed) => ({ after: placeAfter(passed) }) as FollowedEvent), after: placeAfter(to) };
}

/** Gives batches, then nothing, and cannot keep the first so many positions. */
function followerOf(batches: FollowedBatch[], refusals = 0) {
  const kept: number[] = [];
  let refused = 0;
  return {
    kept,
    next: async ({ signal }: { signal: AbortSignal }): Promise<FollowedBatch> => {
      const batch = batches.shift();
      if (batch !== undefined) return batch;
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve());
      });
      return { events: [], after: placeAfter(0) };
    },
    commit: async ({ passed }: FollowPosition): Promise<void> => {
      if (refused < refusals) {
        refused += 1;
        throw new Error('ENOSPC');
      }
      kept.push(passed);
    },
  };
}

function senderOf(follower: ReturnType<typeof followerOf>, deliver: (passed: readonly number[]) => Promise<Delivered>) {
  const told: string[] = [];
  const stop = new AbortController();
  const account = {
    failing: (reason: string, trouble?: string) => void told.push(`${trouble}: ${reason}`),
    well: (trouble?: string) => void told.push(`${trouble}: well`),
  };
  const placesOf = (events: readonly FollowedEvent[]): number[] => events.map((event) => event.after.passed);
  const sender = new RecordSender({
    ...{ follower, maxEvents: 9, waitMs: 0, account, stop: stop.signal, keepAgainMs: 1 },
    deliver: (events) => deliver(placesOf(events)),
  });
  return { sender, told, stop };
}

describe('a batch', () => {
  it('is halved in order, before everything that follows it', () => {
    const batch = { ...batchOf(0, 3), after: placeAfter(7) };
    expect(halveBatch(batch)).toEqual([batchOf(0, 2), { ...batchOf(2, 3), after: placeAfter(7) }]);
  });
});

describe('the sender of a record', () => {
  it('writes its cursor after each part of a divided batch, and continues with the rest after a failure', async () => {
    const follower = followerOf([batchOf(0, 4)]);
    const asked: (readonly number[])[] = [];
    let hasFailed = false;
    const { sender, stop } = senderOf(follower, async (passed) => {
      asked.push(passed);
      if (passed.length > 2) return 'divide';
      if (passed.includes(3) && !hasFailed) {
        hasFailed = true;
        throw new Error('trouble');
      }
      return 'done';
    });
    await expect(sender.sendAll()).rejects.toThrow('trouble');
    expect(follower.kept).toEqual([2]);
    const sending = sender.sendAll();
    await waitFor('the rest', () => follower.kept.length === 2);
    stop.abort();
    await sending;
    expect(asked).toEqual([
      [1, 2, 3, 4],
      [1, 2],
      [3, 4],
      [3, 4],
    ]);
    expect(follower.kept).toEqual([2, 4]);
  });

  it('is unhealthy while its cursor cannot be written, retries that without new events, and keeps sending', async () => {
    const follower = followerOf([batchOf(0, 2), batchOf(2, 4)], 4);
    const { sender, told, stop } = senderOf(follower, async () => 'done');
    const sending = sender.sendAll();
    await waitFor('the cursor', () => follower.kept.length === 1);
    stop.abort();
    await sending;
    expect(follower.kept).toEqual([4]);
    expect(told).toEqual([
      ...Array.from({ length: 4 }, () => 'keeping: its cursor could not be kept: ENOSPC'),
      'keeping: well',
    ]);
  });

  it('writes at the end a cursor that could not be written before', async () => {
    const follower = followerOf([batchOf(0, 2)], 1);
    const { sender, told, stop } = senderOf(follower, async () => {
      stop.abort();
      return 'done';
    });
    await sender.sendAll();
    expect(follower.kept).toEqual([]);
    await sender.keep();
    await sender.keep();
    expect(follower.kept).toEqual([2]);
    expect(told).toEqual(['keeping: its cursor could not be kept: ENOSPC', 'keeping: well']);
  });

  it('does not count a stopped request as done', async () => {
    const follower = followerOf([batchOf(0, 2)]);
    const { sender } = senderOf(follower, async () => 'stopped');
    await sender.sendAll();
    await sender.keep();
    expect(follower.kept).toEqual([]);
  });
});
