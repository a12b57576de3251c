import { pino } from 'pino';
import { createMemoryLimiter } from '../../../collector/processors/memory-limiter-processor.js';
import { ComponentStates } from '../../../collector/telemetry/component-states.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import { serverPayload } from '../../helpers/payloads.js';
import { createMemoryConsumer } from '../memory-consumer.js';

const MIB = 1024 * 1024;
const batch = { receiver: 'events', events: [{ payload: serverPayload() }, { payload: serverPayload() }] };

/** A limiter of 400 MiB with a soft limit of 320 MiB, in a process whose memory the test sets. */
async function startLimiter(usedMib: number) {
  const consumer = createMemoryConsumer();
  const meters = new Meters();
  const states = new ComponentStates();
  const logged: Record<string, unknown>[] = [];
  const now = { usedMib, collected: 0, freedMib: 0, keptMib: 0 };
  let check = (): void => {};
  const settings = {
    check_interval: '1s',
    limit_mib: 400,
    spike_limit_mib: 0,
    limit_percentage: 75,
    spike_limit_percentage: 0,
  };
  const logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const limiter = createMemoryLimiter(
    'memory_limiter',
    settings,
    { consumer, meters, states, logger },
    {
      memory: () => ({ used: now.usedMib * MIB, resident: (now.usedMib + now.keptMib) * MIB }),
      collectGarbage: async () => {
        now.collected += 1;
        now.usedMib -= now.freedMib;
      },
      every: (_, work) => {
        check = work;
        return () => {
          check = () => {};
        };
      },
    },
  );
  await limiter.start();
  const valueNow = (name: Parameters<typeof meters.samples>[0]) => meters.samples(name)[0]?.value;
  return {
    limiter,
    consumer,
    logged,
    now,
    state: () => states.snapshot().find(({ id }) => id === 'memory_limiter'),
    counts: () => ({
      accepted: valueNow('faultline_processor_memory_limiter_accepted_log_records'),
      refused: valueNow('faultline_processor_memory_limiter_refused_log_records'),
    }),
    /** Measures with this memory usage. */
    async passSecond(mib: number): Promise<void> {
      now.usedMib = mib;
      check();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('memory_limiter', () => {
  it('accepts batches while memory is at most the soft limit', async () => {
    const { limiter, consumer, counts, state } = await startLimiter(320);
    expect(await limiter.consume(batch)).toHaveLength(2);
    expect(consumer.batches).toEqual([batch]);
    expect(counts()).toEqual({ accepted: 2, refused: 0 });
    expect(state()).toBeUndefined();
  });

  it('refuses whole batches above it, retryably, and logs that once', async () => {
    const { limiter, consumer, counts, passSecond: second, state, logged } = await startLimiter(100);
    await second(321);
    await second(330);
    const refusal = { code: 'MEMORY_LIMIT_EXCEEDED', retryable: true };
    await expect(limiter.consume(batch)).rejects.toMatchObject(refusal);
    await expect(limiter.consume(batch)).rejects.toThrow(/^data refused due to high memory usage: .*320 MiB/);
    expect(consumer.batches).toEqual([]);
    expect(counts()).toEqual({ accepted: 0, refused: 4 });
    expect(state()).toMatchObject({ kind: 'processor', status: 'StatusRecoverableError' });
    expect(logged).toMatchObject([{ level: 40, used_mib: 321, soft_limit_mib: 320, hard_limit_mib: 400 }]);
  });

  it('accepts batches while the allocator holds freed memory, and collects garbage above the hard limit', async () => {
    const { limiter, now, passSecond: second } = await startLimiter(100);
    now.keptMib = 240;
    await second(160);
    expect(await limiter.consume(batch)).toHaveLength(2);
    expect(now.collected).toBe(0);
    await second(161);
    expect(await limiter.consume(batch)).toHaveLength(2);
    expect(now.collected).toBe(1);
  });

  it('accepts events again when memory has fallen, and logs that once', async () => {
    const { limiter, passSecond: second, state, logged } = await startLimiter(500);
    await expect(limiter.consume(batch)).rejects.toThrow('data refused');
    await second(320);
    await second(310);
    expect(await limiter.consume(batch)).toHaveLength(2);
    expect(state()?.status).toBe('StatusOK');
    expect(logged.map(({ level }) => level)).toEqual([40, 30]);
  });

  it('refuses nothing because of garbage', async () => {
    const { limiter, now, passSecond: second, logged } = await startLimiter(100);
    now.freedMib = 300;
    for (const mib of [450, 350, 450]) {
      await second(mib);
      expect(await limiter.consume(batch)).toHaveLength(2);
    }
    expect(now.collected).toBe(3);
    expect(logged).toEqual([]);
  });

  it('accepts events with the first measurement after which only garbage is above the limit', async () => {
    const { limiter, now, passSecond: second } = await startLimiter(100);
    await second(450);
    await expect(limiter.consume(batch)).rejects.toThrow('data refused');
    now.freedMib = 300;
    await second(450);
    expect(await limiter.consume(batch)).toHaveLength(2);
  });

  it('forwards errors of its consumer, and counts those events neither as accepted nor as refused', async () => {
    const { limiter, consumer, counts } = await startLimiter(100);
    consumer.before = () => Promise.reject(new Error('no'));
    await expect(limiter.consume(batch)).rejects.toThrow('no');
    expect(counts()).toEqual({ accepted: 0, refused: 0 });
  });

  it('does not measure after its shutdown', async () => {
    const { limiter, passSecond: second, state } = await startLimiter(100);
    await limiter.shutdown();
    await second(1_000);
    expect(state()).toBeUndefined();
  });
});
