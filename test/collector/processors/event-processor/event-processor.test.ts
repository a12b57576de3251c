import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import type { Dropped } from '../../../../collector/component/plugin.js';
import { createEventProcessor, eachEvent } from '../../../../collector/processors/event-processor/event-processor.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { ReceivedEvent } from '../../../../core/contract/stages.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { createMemoryConsumer } from '../../memory-consumer.js';

const SECRET = 'words of the event';

function fail(): never {
  throw new TypeError(SECRET);
}

function step(event: ReceivedEvent): ReceivedEvent | Dropped {
  const { payload } = event;
  if (payload.user_id === 'bad') fail();
  if (payload.user_id === 'drop') return { kind: 'dropped', as: 'filtered', reason: 'WANTED' };
  return payload.user_id === 'change' ? { payload: { ...payload, user_id: 'changed' } } : event;
}

async function later<Result>(work: () => Result): Promise<Result> {
  await nextTurn();
  return work();
}

/** A processor that throws for events of user `bad` and drops those of user `drop`, synchronously or in a later turn. */
function processor(errorMode: 'ignore' | 'silent' | 'propagate', isLater = false) {
  const consumer = createMemoryConsumer();
  const meters = new Meters();
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const created = createEventProcessor(
    'p',
    { consumer, meters, logger },
    {
      errorMode,
      consume: eachEvent((event) => (isLater ? later(() => step(event)) : step(event))),
      rejected: () => (isLater ? later(fail) : fail()),
    },
  );
  const count = (name: 'incoming' | 'outgoing' | 'dropped' | 'changed' | 'failed'): number =>
    meters.samples(`faultline_processor_${name}_items`).reduce((sum, { value }) => sum + value, 0);
  return { consumer, lines, count, consume: created.consume.bind(created) };
}

const events = ['bad', 'drop', 'change', 'kept'].map((user_id) => ({ payload: serverPayload({ user_id }) }));
const rejected = [{ code: 'EVENT_INVALID', field: '', reason: 'must be object', received: Buffer.from('x'), bytes: 1 }];
const { received: _, ...bare } = rejected[0] ?? { received: undefined };

describe('a processor whose step throws', () => {
  it.each(['ignore', 'silent'] as const)('forwards the event unchanged with error_mode %s', async (errorMode) => {
    const { consumer, lines, count, consume } = processor(errorMode);
    const outcomes = await consume({ receiver: 'events', events, rejected });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'dropped', 'stored', 'stored']);
    expect(consumer.events.map(({ payload }) => payload.user_id)).toEqual(['bad', 'changed', 'kept']);
    expect(consumer.batches[0]?.rejected).toEqual(rejected);
    expect([count('incoming'), count('outgoing'), count('dropped'), count('changed'), count('failed')]).toEqual([
      4, 3, 1, 1, 2,
    ]);
    expect(lines.length).toBe(errorMode === 'ignore' ? 1 : 0);
  });

  it('drops the event with error_mode propagate, and the content of a rejected payload', async () => {
    const { consumer, count, consume } = processor('propagate');
    const outcomes = await consume({ receiver: 'events', events, rejected });
    expect(outcomes[0]).toEqual({ kind: 'dropped', as: 'filtered', reason: 'PROCESSOR_FAILED' });
    expect(consumer.events.map(({ payload }) => payload.user_id)).toEqual(['changed', 'kept']);
    expect(consumer.batches[0]?.rejected).toEqual([bare]);
    expect(count('dropped')).toBe(2);
  });

  it('logs the kind of error once, never its message', async () => {
    const { lines, consume } = processor('propagate');
    await consume({ receiver: 'events', events });
    await consume({ receiver: 'events', events });
    expect(lines.length).toBe(1);
    expect(lines[0]).toContain('TypeError');
    expect(lines[0]).not.toContain(SECRET);
  });
});

describe('an asynchronous step', () => {
  it('is awaited, so that the order stays the same', async () => {
    const { consumer, count, consume } = processor('ignore', true);
    const outcomes = await consume({ receiver: 'events', events, rejected });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'dropped', 'stored', 'stored']);
    expect(consumer.events.map(({ payload }) => payload.user_id)).toEqual(['bad', 'changed', 'kept']);
    expect(consumer.batches[0]?.rejected).toEqual(rejected);
    expect([count('changed'), count('failed')]).toEqual([1, 2]);
  });

  it('drops the event for which it throws with error_mode propagate', async () => {
    const { consumer, lines, consume } = processor('propagate', true);
    const outcomes = await consume({ receiver: 'events', events, rejected });
    expect(outcomes[0]).toEqual({ kind: 'dropped', as: 'filtered', reason: 'PROCESSOR_FAILED' });
    expect(consumer.batches[0]?.rejected).toEqual([bare]);
    expect(lines.join()).not.toContain(SECRET);
  });
});

describe('a processor', () => {
  it('does not call its consumer with an empty batch', async () => {
    const { consumer, consume } = processor('ignore');
    const dropped = events.filter(({ payload }) => payload.user_id === 'drop');
    expect(await consume({ receiver: 'events', events: dropped })).toEqual([
      { kind: 'dropped', as: 'filtered', reason: 'WANTED' },
    ]);
    expect(consumer.batches).toEqual([]);
  });

  it('keeps the batch id', async () => {
    const { consumer, consume } = processor('ignore');
    await consume({ receiver: 'events', events, batchId: 'm' });
    expect(consumer.batches[0]?.batchId).toBe('m');
  });

  it('fails with the error of its consumer', async () => {
    const { consumer, consume } = processor('ignore');
    consumer.before = () => {
      throw new RangeError('full');
    };
    await expect(consume({ receiver: 'events', events })).rejects.toThrow('full');
  });
});
