import type { Batch } from '../../../../collector/component/consumer.js';
import { Fault } from '../../../../core/event/fault.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { createGrouper } from '../../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../../core/fingerprint/grouping-settings.js';
import { kindOfFailure, serverPayload } from '../../../helpers/payloads.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { countsOf, outcomeTexts, rateLimited, sampled, startSampling, weightsOf } from './start-sampling.js';

const refusal = new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });

function many(count: number, changes: Partial<RawPayload> = {}): RawPayload[] {
  return Array.from({ length: count }, (_, index) => serverPayload({ request_id: `r${index}`, ...changes }));
}

describe('rate_limit', () => {
  it('samples in a number of events per issue in each interval, with the reason for the others', async () => {
    const { send, pass } = await startSampling(rateLimited());
    expect(await send(...many(4))).toEqual(['stored', 'stored', 'RATE_LIMITED', 'RATE_LIMITED']);
    pass(59_999);
    expect(await send(serverPayload())).toEqual(['RATE_LIMITED']);
    pass(1);
    expect(await send(...many(3))).toEqual(['stored', 'stored', 'RATE_LIMITED']);
  });

  it('distinguishes app, service and fingerprint', async () => {
    const { send } = await startSampling(rateLimited({ max_events: 1 }));
    const differing = [
      serverPayload(),
      serverPayload({ app: 'sho', service: 'papi' }),
      serverPayload({ service: 'web' }),
      kindOfFailure(1),
      serverPayload({ app: 'x'.repeat(1_000) }),
      serverPayload({ app: `${'x'.repeat(999)}y` }),
    ];
    expect(await send(...differing, ...differing)).toEqual([
      ...Array<string>(6).fill('stored'),
      ...Array<string>(6).fill('RATE_LIMITED'),
    ]);
  });

  it('samples in the first event of an issue, during a storm of any other', async () => {
    const { send } = await startSampling(rateLimited({ max_events: 1, max_issues: 1 }));
    await send(...many(100));
    expect(await send(kindOfFailure(1), kindOfFailure(2))).toEqual(['stored', 'stored']);
  });
});

describe('sample', () => {
  it('samples in the first events of an interval and a share of the rest, with a weight for all of it', async () => {
    const { send, consumer } = await startSampling(sampled());
    const became = await send(...many(12));
    expect(became.map((one) => (one === 'stored' ? 1 : 0))).toEqual([1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    expect(became[2]).toBe('SAMPLED');
    expect(weightsOf(consumer.events)).toEqual([1, 1, 5, 5]);
  });

  it('starts again after its interval', async () => {
    const { send, pass } = await startSampling(sampled({ keep_one_in: 1_000 }));
    await send(...many(3));
    pass(60_000);
    expect(await send(...many(3))).toEqual(['stored', 'stored', 'SAMPLED']);
  });
});

describe('the count of an issue', () => {
  it('is added to the next sampled event of the issue, which loses its bytes and its grouping', async () => {
    const { processor, consumer, send, grouper } = await startSampling(sampled());
    await send(...many(4));
    const events = many(3).map((payload) => ({ payload, encoded: Buffer.from('{}') }));
    await processor.consume({ receiver: 'events', events });
    expect(weightsOf(consumer.events)).toEqual([1, 1, 5]);
    const [first, , carrier] = consumer.events;
    expect(first?.grouping).toEqual({ key: grouper.key, fingerprint: grouper.fingerprint(serverPayload()) });
    expect(carrier?.payload.extra).toEqual({ cart: { lines: 3 }, faultline: { sampled: 4 } });
    expect([carrier?.encoded, carrier?.grouping]).toEqual([undefined, undefined]);
  });

  it('does not change a sampled event of weight 1', async () => {
    const { processor, consumer } = await startSampling(rateLimited());
    const encoded = Buffer.from('{}');
    await processor.consume({ receiver: 'events', events: [{ payload: serverPayload(), encoded }] });
    expect(consumer.events[0]?.encoded).toBe(encoded);
  });

  it('is sent with the last event that was sampled out, within the summary interval', async () => {
    const { send, pass, consumer } = await startSampling(rateLimited());
    await send(...many(50), ...many(4, { error_name: 'OtherError' }));
    pass(8_000);
    expect(consumer.events).toHaveLength(4);
    pass(1_500);
    await waitFor('the summaries', () => consumer.events.length === 6);
    expect(countsOf(consumer.events)).toEqual({ ValidationError: 50, OtherError: 4 });
    expect(consumer.events.find(({ payload }) => payload.request_id === 'r49')?.payload.extra).toEqual({
      cart: { lines: 3 },
      faultline: { sampled: 47 },
    });
    expect(consumer.batches.at(-1)).toMatchObject({ receiver: 'events' });
    pass(20_000);
    expect(consumer.events).toHaveLength(6);
  });

  it('keeps members of the sender under extra.faultline', async () => {
    const { send, consumer, processor } = await startSampling(rateLimited());
    await send(
      ...many(3, { extra: { faultline: { cuts_total: 3 } } }),
      ...many(4, { app: 'other', extra: { faultline: ['of', 'the', 'sender'] } }),
      ...many(4, { app: 'third', extra: null }),
    );
    await processor.shutdown();
    expect(consumer.events.slice(6).map(({ payload }) => payload.extra)).toEqual([
      { faultline: { cuts_total: 3 } },
      { faultline: { sender: ['of', 'the', 'sender'], sampled: 1 } },
      { faultline: { sampled: 1 } },
    ]);
  });

  it('is the sum over two consecutive processors', async () => {
    const second = await startSampling(rateLimited({ max_events: 3 }));
    const first = await startSampling(sampled({ keep_one_in: 10 }), { consumer: second.processor });
    for (let batch = 0; batch < 20; batch += 1) await first.send(...many(25), kindOfFailure(batch));
    await Promise.all([first.processor.shutdown(), second.processor.shutdown()]);
    const { ValidationError: storm, ...rare } = countsOf(second.consumer.events);
    expect(storm).toBe(500);
    expect(Object.values(rare)).toEqual(Array(20).fill(1));
    expect(second.consumer.events.length).toBeLessThan(30);
  });

  it('is not lost if it is too large for one event', async () => {
    const { send, processor, consumer } = await startSampling(rateLimited({ max_events: 1 }));
    const heavy = serverPayload({ extra: { faultline: { sampled: 900_000_000 } } });
    await send(heavy, heavy, heavy, heavy);
    await processor.shutdown();
    expect(countsOf(consumer.events)).toEqual({ ValidationError: 4 * 900_000_001 });
    expect(Math.max(...weightsOf(consumer.events))).toBeLessThanOrEqual(1_000_000_001);
  });

  it('is added again if a later processor drops the event that carried it', async () => {
    const { send, processor, consumer } = await startSampling(sampled());
    await send(...many(4));
    consumer.outcome = () => ({ kind: 'dropped', as: 'filtered', reason: 'FILTERED' });
    expect(await send(...many(3))).toEqual(['SAMPLED', 'SAMPLED', 'FILTERED']);
    consumer.outcome = () => undefined;
    await processor.shutdown();
    expect(countsOf(consumer.events)).toEqual({ ValidationError: 6 });
  });
});

describe('a batch that the consumer refuses', () => {
  it('has no effect: after the retry everything is counted once', async () => {
    const { send, consumer, processor } = await startSampling(sampled());
    await send(...many(4));
    consumer.before = () => Promise.reject(refusal);
    for (let time = 0; time < 5; time += 1) await expect(send(...many(5))).rejects.toBe(refusal);
    consumer.before = () => {};
    expect(await send(...many(5))).toEqual(['SAMPLED', 'SAMPLED', 'stored', 'SAMPLED', 'SAMPLED']);
    await processor.shutdown();
    expect(countsOf(consumer.events)).toEqual({ ValidationError: 9 });
  });

  it('does not affect other batches that run at the same time', async () => {
    const { send, consumer, processor } = await startSampling(sampled({ keep_first: 1, keep_one_in: 3 }));
    let accepted = 0;
    let tries = 0;
    consumer.before = async () => {
      tries += 1;
      const isRefused = tries % 3 === 0;
      await new Promise((resolve) => setImmediate(resolve));
      if (isRefused) throw refusal;
    };
    const results = await Promise.allSettled(Array.from({ length: 60 }, (_, size) => send(...many(1 + (size % 7)))));
    for (const result of results) if (result.status === 'fulfilled') accepted += result.value.length;
    expect(results.some(({ status }) => status === 'rejected')).toBe(true);
    consumer.before = () => {};
    await processor.shutdown();
    expect(countsOf(consumer.events)).toEqual({ ValidationError: accepted });
  });

  it('does not let another batch add a count that may be rolled back', async () => {
    const { send, consumer, processor } = await startSampling(sampled());
    await send(...many(6));
    const refusals: ((refusal: Fault) => void)[] = [];
    consumer.before = () => new Promise((_, reject) => refusals.push(reject));
    const first = send(...many(5));
    await waitFor('the first batch to be handed on', () => refusals.length === 1);
    consumer.before = () => {};
    await send(...many(5));
    expect(weightsOf(consumer.events)).toEqual([1, 1, 1]);
    for (const refuse of refusals) refuse(refusal);
    await expect(first).rejects.toBe(refusal);
    await processor.shutdown();
    expect(weightsOf(consumer.events)).toEqual([1, 1, 1, 8]);
  });
});

describe('a summary that the consumer refuses', () => {
  it('is retried at every check until it is accepted, once', async () => {
    const { send, pass, consumer } = await startSampling(rateLimited());
    await send(...many(10));
    let tries = 0;
    consumer.before = () => {
      tries += 1;
      throw refusal;
    };
    for (const wanted of [1, 2, 3]) {
      pass(10_000);
      await waitFor('a try', () => tries === wanted);
      await new Promise((resolve) => setImmediate(resolve));
    }
    consumer.before = () => {};
    pass(1);
    await waitFor('the summary', () => consumer.events.length === 3);
    expect(weightsOf(consumer.events)).toEqual([1, 1, 8]);
  });

  it('is dropped with a log line about the lost count if it is refused permanently, and drops no other', async () => {
    const { send, pass, consumer, logged } = await startSampling(rateLimited());
    await send(...many(10), ...many(4, { error_name: 'OtherError' }));
    consumer.before = ({ events }: Batch) => {
      if (events.some(({ payload }) => payload.error_name === 'OtherError')) throw new Fault('RAW_LINE_INVALID', 'no');
    };
    pass(10_000);
    await waitFor('the loss to be told', () => logged.find(({ events }) => events === 2));
    expect(countsOf(consumer.events)).toEqual({ ValidationError: 10, OtherError: 2 });
  });
});

describe('shutdown', () => {
  it('forwards all held counts, and retries while the consumer refuses', async () => {
    const { send, consumer, processor } = await startSampling(rateLimited());
    await send(...many(1_000));
    let tries = 0;
    consumer.before = () => {
      tries += 1;
      if (tries < 3) throw refusal;
    };
    await processor.shutdown();
    expect(weightsOf(consumer.events)).toEqual([1, 1, 998]);
  });

  it('logs the number of lost events if the consumer refuses until the end', async () => {
    const { send, consumer, processor, logged } = await startSampling(rateLimited(), { shutdownTimeoutMs: 60 });
    await send(...many(1_000));
    consumer.before = () => Promise.reject(refusal);
    await processor.shutdown();
    expect(logged).toContainEqual(expect.objectContaining({ level: 50, events: 998 }));
  });

  it('ends in time even if the consumer does not respond', async () => {
    const { send, consumer, processor, logged } = await startSampling(rateLimited(), { shutdownTimeoutMs: 60 });
    await send(...many(5));
    consumer.before = () => new Promise(() => {});
    await processor.shutdown();
    expect(logged).toContainEqual(expect.objectContaining({ level: 50, events: 3 }));
  });

  it('waits for running batches, and samples in everything that arrives after it began', async () => {
    const { send, consumer, processor } = await startSampling(rateLimited({ max_events: 1 }));
    let accept = (): void => {};
    let isHeld = false;
    const held = new Promise<void>((resolve) => {
      accept = resolve;
    });
    consumer.before = () => {
      isHeld = true;
      return held;
    };
    const running = send(...many(4));
    await waitFor('the batch to be handed on', () => isHeld);
    const stopped = processor.shutdown();
    const late = send(...many(3));
    accept();
    expect(await late).toEqual(['stored', 'stored', 'stored']);
    await Promise.all([running, stopped]);
    expect(countsOf(consumer.events)).toEqual({ ValidationError: 7 });
  });
});

describe('held counts', () => {
  it('are forwarded if their issue is evicted', async () => {
    const { send, consumer } = await startSampling(rateLimited({ max_issues: 2 }));
    await send(...many(10));
    await send(kindOfFailure(1), kindOfFailure(2));
    await waitFor('the summary', () => countsOf(consumer.events)['ValidationError'] === 10);
    expect(await send(serverPayload())).toEqual(['stored']);
  });

  it('of the least recently seen issue are evicted first', async () => {
    const { send, meters } = await startSampling(rateLimited({ max_events: 1, max_issues: 2 }));
    await send(kindOfFailure(1), kindOfFailure(2));
    await send(kindOfFailure(1));
    await send(kindOfFailure(3));
    expect(meters.samples('faultline_processor_watched_issues')[0]?.value).toBe(2);
    expect(await send(kindOfFailure(1), kindOfFailure(2))).toEqual(['RATE_LIMITED', 'stored']);
  });

  it('are bounded: further events are forwarded early or sampled in, and always counted', async () => {
    const { send, consumer, processor } = await startSampling(rateLimited({ max_events: 1 }), { maxHeldSize: 20_000 });
    const large = (kind: number): RawPayload => kindOfFailure(kind, { extra: { text: 'x'.repeat(5_000) } });
    consumer.before = ({ receiver }) => {
      if (receiver === 'refused') throw refusal;
    };
    for (let kind = 0; kind < 40; kind += 1) await send(large(kind), large(kind), large(kind));
    expect(consumer.events.length).toBeGreaterThan(60);
    await processor.shutdown();
    expect(Object.values(countsOf(consumer.events))).toEqual(Array(40).fill(3));
  });
});

describe('a batch', () => {
  it('with a batch id is forwarded unchanged, because the id promises that all of it is stored', async () => {
    const { processor, consumer } = await startSampling(rateLimited());
    const batch: Batch = { receiver: 'events', batchId: 'one', events: many(5).map((payload) => ({ payload })) };
    expect(outcomeTexts(await processor.consume(batch))).toEqual(Array(5).fill('stored'));
    expect(consumer.batches).toEqual([batch]);
  });

  it('is forwarded with its rejected payloads even if every event was sampled out', async () => {
    const { processor, consumer, send } = await startSampling(rateLimited());
    await send(...many(2));
    const rejected = [{ code: 'EVENT_INVALID', field: '/message', reason: 'must be string', bytes: null }] as const;
    const outcomes = await processor.consume({ receiver: 'r', events: [{ payload: serverPayload() }], rejected });
    expect(outcomeTexts(outcomes)).toEqual(['RATE_LIMITED']);
    expect(consumer.batches.at(-1)).toEqual({ receiver: 'r', events: [], rejected });
  });

  it('is not forwarded if it is empty', async () => {
    const { send, consumer } = await startSampling(rateLimited());
    await send(...many(2));
    await send(...many(5));
    expect(consumer.batches).toHaveLength(1);
  });

  it('keeps a grouping by the same rules, and computes one by others again', async () => {
    const asked: string[] = [];
    const plain = createGrouper(DEFAULT_GROUPING);
    const grouper = {
      ...plain,
      fingerprint: (payload: RawPayload) => {
        asked.push(payload.app);
        return plain.fingerprint(payload);
      },
    };
    const { processor } = await startSampling(rateLimited(), { grouper: () => grouper });
    const fingerprint = plain.fingerprint(serverPayload());
    const events = ['same', 'other'].map((app) => ({
      payload: serverPayload({ app }),
      grouping: { key: app === 'same' ? plain.key : 'other', fingerprint },
    }));
    await processor.consume({ receiver: 'events', events });
    expect(asked).toEqual(['other']);
  });

  it.each([
    ['ignore', 'stored', 1],
    ['silent', 'stored', 0],
    ['propagate', 'PROCESSOR_FAILED', 1],
  ] as const)('whose processor fails at an event: %s', async (error_mode, became, lines) => {
    const plain = createGrouper(DEFAULT_GROUPING);
    const fingerprint = (payload: RawPayload) => {
      if (payload.app === 'bad') throw new TypeError('secret words');
      return plain.fingerprint(payload);
    };
    const line = await startSampling(rateLimited({ error_mode }), { grouper: () => ({ ...plain, fingerprint }) });
    expect(await line.send(serverPayload({ app: 'bad' }), serverPayload())).toEqual([became, 'stored']);
    expect(line.logged).toHaveLength(lines);
    expect(JSON.stringify(line.logged)).not.toContain('secret');
    expect(line.meters.samples('faultline_processor_failed_items')[0]?.value).toBe(1);
  });

  it('is counted by the outcomes of its events', async () => {
    const { send, meters, processor } = await startSampling(sampled());
    await send(...many(10));
    const sum = (name: Parameters<typeof meters.samples>[0]) => meters.samples(name)[0]?.value;
    expect(sum('faultline_processor_incoming_items')).toBe(10);
    expect(sum('faultline_processor_outgoing_items')).toBe(3);
    expect(meters.samples('faultline_processor_dropped_items')).toEqual([
      { labels: { processor: 'sampling', reason: 'SAMPLED' }, value: 7 },
    ]);
    expect(sum('faultline_processor_changed_items')).toBe(1);
    expect(sum('faultline_processor_watched_issues')).toBe(1);
    await processor.shutdown();
    expect(meters.samples('faultline_processor_watched_issues')).toEqual([]);
  });
});
