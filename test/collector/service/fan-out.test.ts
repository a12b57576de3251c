import type { Batch, Outcome } from '../../../collector/component/consumer.js';
import { createFanOut } from '../../../collector/service/fan-out.js';
import { Fault } from '../../../core/event/fault.js';
import { serverPayload } from '../../helpers/payloads.js';
import { createMemoryConsumer } from '../memory-consumer.js';

const batch: Batch = { receiver: 'events', events: [{ payload: serverPayload() }, { payload: serverPayload() }] };
const dropped = (reason: string): Outcome => ({ kind: 'dropped', as: 'filtered', reason });

describe('several consumers of one batch', () => {
  it('all receive it', async () => {
    const consumers = [createMemoryConsumer(), createMemoryConsumer(), createMemoryConsumer()];
    await createFanOut(consumers).consume(batch);
    expect(consumers.map(({ batches }) => batches)).toEqual([[batch], [batch], [batch]]);
  });

  it('all receive rejected payloads, also without events', async () => {
    const rejected = [{ code: 'EVENT_INVALID', field: '', reason: 'must be object', bytes: null }];
    const consumers = [createMemoryConsumer(), createMemoryConsumer()];
    expect(await createFanOut(consumers).consume({ receiver: 'events', events: [], rejected })).toEqual([]);
    expect(consumers.flatMap(({ batches }) => batches.map((batch) => batch.rejected))).toEqual([rejected, rejected]);
  });

  it('return that an event is stored if one of them stored it', async () => {
    const [first, second] = [createMemoryConsumer(), createMemoryConsumer()];
    first.outcome = () => dropped('FIRST');
    const outcomes = await createFanOut([first, second]).consume(batch);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'stored']);
    second.outcome = () => dropped('SECOND');
    expect(await createFanOut([first, second]).consume(batch)).toEqual([dropped('FIRST'), dropped('FIRST')]);
  });

  it('fail if one of them fails, after all have ended', async () => {
    const [first, second] = [createMemoryConsumer(), createMemoryConsumer()];
    first.before = () => {
      throw new Fault('STORE_UNAVAILABLE', 'full', { retryable: true });
    };
    let hasEnded = false;
    second.before = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      hasEnded = true;
    };
    await expect(createFanOut([first, second]).consume(batch)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(hasEnded).toBe(true);
  });
});
