import {
  type DeliveryResult,
  halveBatch,
  RecordSender,
} from '../../../../collector/exporters/sending/record-sender.js';
import type {
  FollowedBatch,
  FollowedEvent,
  FollowPosition,
} from '../../../../core/storage/following/record-follower.js';
import { waitFor } from '../../../helpers/wait-for.js';

function positionAfter(passed: number): FollowPosition {
  return { receivedAtMicros: 0, taken: 0, passed };
}

/** Builds events with a position only. */
function batchOf(from: number, to: number): FollowedBatch {
  const positions = Array.from({ length: to - from }, (_, index) => from + index + 1);
  return {
    events: positions.map((passed) => ({ after: positionAfter(passed) }) as FollowedEvent),
    after: positionAfter(to),
  };
}

/** Returns the batches, then none; the first `refusals` commits fail. */
function followerOf(batches: FollowedBatch[], refusals = 0) {
  const committed: number[] = [];
  let refused = 0;
  return {
    committed,
    next: async ({ signal }: { signal: AbortSignal }): Promise<FollowedBatch> => {
      const batch = batches.shift();
      if (batch !== undefined) return batch;
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve());
      });
      return { events: [], after: positionAfter(0) };
    },
    commit: async ({ passed }: FollowPosition): Promise<void> => {
      if (refused < refusals) {
        refused += 1;
        throw new Error('ENOSPC');
      }
      committed.push(passed);
    },
  };
}

function senderOf(
  follower: ReturnType<typeof followerOf>,
  deliver: (passed: readonly number[]) => Promise<DeliveryResult>,
) {
  const reports: string[] = [];
  const stop = new AbortController();
  const telemetry = {
    reportFailing: (reason: string, task?: string) => void reports.push(`${task}: ${reason}`),
    reportHealthy: (task?: string) => void reports.push(`${task}: healthy`),
  };
  const positionsOf = (events: readonly FollowedEvent[]): number[] => events.map((event) => event.after.passed);
  const sender = new RecordSender({
    ...{ follower, maxEvents: 9, waitMs: 0, telemetry, stop: stop.signal, saveRetryMs: 1 },
    deliver: (events) => deliver(positionsOf(events)),
  });
  return { sender, reports, stop };
}

describe('a batch', () => {
  it('is halved in order, before everything that follows it', () => {
    const batch = { ...batchOf(0, 3), after: positionAfter(7) };
    expect(halveBatch(batch)).toEqual([batchOf(0, 2), { ...batchOf(2, 3), after: positionAfter(7) }]);
  });
});

describe('the sender of a record', () => {
  it('writes its cursor after each part of a divided batch, and continues with the rest after a failure', async () => {
    const follower = followerOf([batchOf(0, 4)]);
    const delivered: (readonly number[])[] = [];
    let hasFailed = false;
    const { sender, stop } = senderOf(follower, async (passed) => {
      delivered.push(passed);
      if (passed.length > 2) return 'divide';
      if (passed.includes(3) && !hasFailed) {
        hasFailed = true;
        throw new Error('trouble');
      }
      return 'done';
    });
    await expect(sender.sendAll()).rejects.toThrow('trouble');
    expect(follower.committed).toEqual([2]);
    const sending = sender.sendAll();
    await waitFor('the rest', () => follower.committed.length === 2);
    stop.abort();
    await sending;
    expect(delivered).toEqual([
      [1, 2, 3, 4],
      [1, 2],
      [3, 4],
      [3, 4],
    ]);
    expect(follower.committed).toEqual([2, 4]);
  });

  it('is unhealthy while its cursor cannot be written, retries that without new events, and keeps sending', async () => {
    const follower = followerOf([batchOf(0, 2), batchOf(2, 4)], 4);
    const { sender, reports, stop } = senderOf(follower, async () => 'done');
    const sending = sender.sendAll();
    await waitFor('the cursor', () => follower.committed.length === 1);
    stop.abort();
    await sending;
    expect(follower.committed).toEqual([4]);
    expect(reports).toEqual([
      ...Array.from({ length: 4 }, () => 'saving: its cursor could not be saved: ENOSPC'),
      'saving: healthy',
    ]);
  });

  it('writes at the end a cursor that could not be written before', async () => {
    const follower = followerOf([batchOf(0, 2)], 1);
    const { sender, reports, stop } = senderOf(follower, async () => {
      stop.abort();
      return 'done';
    });
    await sender.sendAll();
    expect(follower.committed).toEqual([]);
    await sender.saveCursor();
    await sender.saveCursor();
    expect(follower.committed).toEqual([2]);
    expect(reports).toEqual(['saving: its cursor could not be saved: ENOSPC', 'saving: healthy']);
  });

  it('does not count a stopped request as done', async () => {
    const follower = followerOf([batchOf(0, 2)]);
    const { sender } = senderOf(follower, async () => 'stopped');
    await sender.sendAll();
    await sender.saveCursor();
    expect(follower.committed).toEqual([]);
  });
});
