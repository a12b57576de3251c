import { IdempotencyCache } from '../../../../collector/receivers/intake/idempotency-cache.js';
import { RequestProgress, UnfinishedRequests } from '../../../../collector/receivers/otlp/intake/request-progress.js';
import { collectGarbage } from '../../../../collector/telemetry/garbage-collection.js';
import { waitFor } from '../../../helpers/wait-for.js';

describe('cached outcomes', () => {
  function outcomes(maxEntries = 10) {
    const clock = { nowMs: 5_000 };
    const recent = new IdempotencyCache<number>({ windowMs: 1_000, maxEntries, nowMs: () => clock.nowMs });
    let calls = 0;
    const work = async () => ++calls;
    return { clock, recent, work };
  }

  it('are returned within their window, and the work is done again after it', async () => {
    const { clock, recent, work } = outcomes();
    expect(await recent.once('a', work)).toEqual({ outcome: 1, isRepeated: false });
    clock.nowMs += 1_000;
    expect(await recent.once('a', work)).toEqual({ outcome: 1, isRepeated: true });
    clock.nowMs += 1;
    expect(await recent.once('a', work)).toEqual({ outcome: 2, isRepeated: false });
  });

  it('above the limit lose the oldest, but never running work', async () => {
    const { recent, work } = outcomes(2);
    let finish = (_: number): void => undefined;
    const running = recent.once('running', () => new Promise<number>((resolve) => (finish = resolve)));
    for (const name of ['a', 'b', 'c']) await recent.once(name, work);
    expect(await recent.once('c', work)).toMatchObject({ isRepeated: true });
    const repeated = recent.once('running', work);
    finish(77);
    expect(await running).toEqual({ outcome: 77, isRepeated: false });
    expect(await repeated).toEqual({ outcome: 77, isRepeated: true });
    expect(await recent.once('a', work)).toMatchObject({ isRepeated: false });
  });

  it('include work that still ran when its key was the oldest', async () => {
    const { recent, work } = outcomes(2);
    let finish = (_: number): void => undefined;
    const running = recent.once('running', () => new Promise<number>((resolve) => (finish = resolve)));
    for (const name of ['a', 'b', 'c']) await recent.once(name, work);
    finish(77);
    await running;
    expect(await recent.once('running', work)).toMatchObject({ isRepeated: true });
    for (const name of ['d', 'e', 'f']) await recent.once(name, work);
    expect(await recent.once('running', work)).toMatchObject({ isRepeated: false });
  });

  it('never exceed the limit, and are the newest', async () => {
    const { recent, work } = outcomes(3);
    for (let number = 0; number < 200; number++) {
      await recent.once(`name ${number}`, work);
      if (number % 50 !== 49) continue;
      for (const back of [2, 1, 0]) {
        expect(await recent.once(`name ${number - back}`, work)).toMatchObject({ isRepeated: true });
      }
      expect(await recent.once(`name ${number - 3}`, work)).toMatchObject({ isRepeated: false });
    }
  });

  it('exclude failures: a waiting request does the work itself', async () => {
    const { recent, work } = outcomes();
    const failing = recent.once('a', async () => {
      throw new Error('no');
    });
    const waiting = recent.once('a', work);
    await expect(failing).rejects.toThrow('no');
    expect(await waiting).toEqual({ outcome: 1, isRepeated: false });
  });
});

describe('an expired entry', () => {
  it('is released when the next outcome is stored', async () => {
    const clock = { nowMs: 5_000 };
    const recent = new IdempotencyCache<object>({ windowMs: 1_000, maxEntries: 10, nowMs: () => clock.nowMs });
    const kept: WeakRef<object>[] = [];
    await recent.once('a', async () => {
      const outcome = { text: 'only the cache holds this' };
      kept.push(new WeakRef(outcome));
      return outcome;
    });
    clock.nowMs += 61_001;
    await recent.once('b', async () => ({}));
    await waitFor('the outcome to be collected', async () => {
      collectGarbage();
      return kept[0]?.deref() === undefined;
    });
  });

  it('does not cause later bodies to be hashed', () => {
    const clock = { nowMs: 5_000 };
    const unfinished = new UnfinishedRequests(() => clock.nowMs);
    // Hashing a value that is not bytes throws.
    const unhashable = {} as Uint8Array;
    unfinished.remember(Buffer.from('body'), new RequestProgress());
    expect(() => unfinished.resume(unhashable)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }));
    clock.nowMs += 5 * 60_000 + 1;
    expect(unfinished.resume(unhashable)).toBeUndefined();
  });
});

describe('unfinished requests', () => {
  it('are found by their body once, for five minutes, up to 256 of them', () => {
    const clock = { nowMs: 5_000 };
    const unfinished = new UnfinishedRequests(() => clock.nowMs);
    const body = (number: number) => Buffer.from(`body ${number}`);
    const progress = Array.from({ length: 257 }, () => new RequestProgress());
    const of = (number: number) => progress[number] ?? new RequestProgress();
    const numberOf = (known: RequestProgress | undefined) => known && progress.indexOf(known);
    const claim = (number: number) => numberOf(unfinished.resume(body(number)));
    expect(claim(1)).toBeUndefined();
    unfinished.remember(body(1), of(7));
    expect([claim(2), claim(1), claim(1)]).toEqual([undefined, 7, undefined]);
    unfinished.remember(body(1), of(8));
    clock.nowMs += 5 * 60_000 + 1;
    expect(claim(1)).toBeUndefined();
    for (let number = 0; number <= 256; number++) unfinished.remember(body(number), of(number));
    expect([claim(0), claim(1), claim(256)]).toEqual([undefined, 1, 256]);
  });
});
