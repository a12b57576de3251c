import { StoreFollower } from '../../../../core/storage/following/store-follower.js';
import type { IndexContent } from '../../../../core/storage/index/content/index-content.js';

/** An index without readable rows whose count the test can raise. */
function countedContent(onLook: () => void): { content: IndexContent; segments: { events: number } } {
  const segment = { rowIndexAt: () => 0, row: () => undefined };
  const segments = {
    events: 0,
    sealed: { firstSegment: 0 },
    open: { number: 0 },
    numberAt: () => 0,
    get: () => {
      onLook();
      return Promise.resolve(segment);
    },
  };
  const content = { segments, removed: { beforeMicros: 0, events: 0 }, lastReceivedAtMicros: 7 };
  return { content: content as unknown as IndexContent, segments };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}

describe('a follower whose poll finds nothing', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'still reports an event as waiting that became durable %i turns after its poll began',
    async (count) => {
      const stop = new AbortController();
      const commit = async (): Promise<void> => {
        await turns(count);
        segments.events = 1;
        follower.arrived(1, 7);
        stop.abort();
      };
      let isFirst = true;
      const { content, segments } = countedContent(() => {
        if (isFirst) void commit();
        isFirst = false;
      });
      const follower = new StoreFollower({
        directory: '/nowhere',
        record: { readAt: async () => undefined },
        index: { content, recover: async () => false },
        position: { receivedAtMicros: 1, taken: 0, passed: 0 },
        holdMs: 0,
        onFault: () => undefined,
        onClose: () => undefined,
      });
      expect((await follower.next({ maxEvents: 1, waitMs: 0, signal: stop.signal })).events).toEqual([]);
      expect(follower.status()).toMatchObject({ waiting: 1, oldestMicros: 7 });
    },
  );
});
