import type { RecordOutcome } from '../../../../collector/receivers/intake/intake.js';
import { Intake, type MappedRecord } from '../../../../collector/receivers/intake/intake.js';
import { Ledger } from '../../../../collector/telemetry/ledger.js';
import { Fault } from '../../../../core/event/fault.js';
import { createMemoryConsumer } from '../../memory-consumer.js';

const LIMITS = {
  max_event_size: '16MiB',
  max_members: 1_000,
  max_string_length: 1_000,
  max_stack_length: 1_000,
  max_depth: 8,
  max_tags: 10,
};

function intake(maxEventSize?: number) {
  const consumer = createMemoryConsumer();
  const ledger = new Ledger();
  const defaults = { app: 'shop', service: 'api', env: 'test' };
  const account = ledger.account('otlp');
  const records = new Intake({
    receiver: 'otlp',
    defaults,
    limits: LIMITS,
    consumer,
    account,
    ...(maxEventSize && { maxEventSize }),
  });
  return { consumer, records, counts: () => ledger.snapshot()['otlp'] };
}

const record = (message: unknown): MappedRecord => ({
  value: { message, error_name: '', route: '' } as MappedRecord['value'],
  received: () => Buffer.from(`sent ${String(message)}`),
});
const many = (count: number) => Array.from({ length: count }, (_, index) => record(`m ${index}`));

describe('records of a request', () => {
  it('are completed, forwarded and get outcomes in order; only an invalid one is rejected', async () => {
    const { consumer, records, counts } = intake();
    const outcomes: RecordOutcome[] = [];
    await records.accept([record('a'), record(7), record('b')], outcomes);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'rejected', 'stored']);
    expect(consumer.events.map(({ payload }) => [payload.app, payload.env, payload.message])).toEqual([
      ['shop', 'test', 'a'],
      ['shop', 'test', 'b'],
    ]);
    expect(consumer.batches[0]?.rejected).toEqual([
      { code: 'EVENT_INVALID', field: '/message', reason: 'must be string', received: Buffer.from('sent 7'), bytes: 6 },
    ]);
    expect(counts()).toMatchObject({ received: 3, stored: 2, rejected: 1, reasons: { EVENT_INVALID: 1 } });
  });

  it('that a processor drops count as filtered or sampled', async () => {
    const { consumer, records, counts } = intake();
    consumer.outcome = ({ payload }) =>
      payload.message === 'noise' ? { kind: 'dropped', as: 'sampled', reason: 'SAMPLED' } : undefined;
    const outcomes: RecordOutcome[] = [];
    await records.accept([record('noise'), record('real')], outcomes);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['dropped', 'stored']);
    expect(counts()).toMatchObject({ received: 2, stored: 1, sampled: 1 });
  });

  it('that were stored before a refusal have outcomes, and a retry continues after them', async () => {
    const { consumer, records, counts } = intake();
    consumer.before = () => {
      if (consumer.batches.length === 1) throw new Fault('STORE_UNAVAILABLE', 'full', { retryable: true });
    };
    const [all, outcomes]: [MappedRecord[], RecordOutcome[]] = [many(1_201), []];
    await expect(records.accept(all, outcomes)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(outcomes).toHaveLength(500);
    expect(counts()).toMatchObject({ received: 1_201, stored: 500, refused: 701 });
    consumer.before = () => undefined;
    await records.accept(all, outcomes);
    expect(outcomes).toHaveLength(1_201);
    expect(consumer.events.map(({ payload }) => payload.message)).toEqual(all.map(({ value }) => value['message']));
  });

  it('that are large are forwarded in small batches', async () => {
    const { consumer, records } = intake();
    const shared = { text: Array.from({ length: 400 }, () => 'x'.repeat(1_000)) };
    const large = many(20).map(({ value, received }) => ({ value: { ...value, extra: shared }, received }));
    const outcomes: RecordOutcome[] = [];
    await records.accept(large, outcomes);
    expect(outcomes).toHaveLength(20);
    expect(consumer.batches.map(({ events }) => events.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });

  it('over the size bound are rejected', async () => {
    const { records, counts } = intake(1_000);
    const outcomes: RecordOutcome[] = [];
    await records.accept([record('x'.repeat(900)), record('small')], outcomes);
    expect(outcomes).toMatchObject([{ kind: 'rejected', rejection: { code: 'EVENT_TOO_LARGE' } }, { kind: 'stored' }]);
    expect(counts()).toMatchObject({ received: 2, stored: 1, rejected: 1 });
  });

  it('are read once, so that the caller can free them', async () => {
    const { consumer, records } = intake();
    const left = new Map(many(1_201).entries());
    const given = {
      length: left.size,
      at: (index: number) => {
        const one = left.get(index);
        left.delete(index);
        return one;
      },
    };
    const outcomes: RecordOutcome[] = [];
    await records.accept(given, outcomes);
    expect([outcomes.length, consumer.events.length, left.size]).toEqual([1_201, 1_201, 0]);
    await expect(records.accept(given, [])).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('without any element reach no consumer', async () => {
    const { consumer, records } = intake();
    await records.accept([], []);
    expect(consumer.batches).toEqual([]);
  });
});
