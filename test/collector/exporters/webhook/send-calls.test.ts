import { pino } from 'pino';
import { type Call, NO_ALERTS } from '../../../../collector/exporters/webhook/alert.js';
import { AlertQueue } from '../../../../collector/exporters/webhook/alert-queue.js';
import { AlertTelemetry } from '../../../../collector/exporters/webhook/alert-telemetry.js';
import { CallRate, sendCalls } from '../../../../collector/exporters/webhook/send-calls.js';
import { ComponentStates } from '../../../../collector/telemetry/component-states.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import { ArrivalSignal } from '../../../../core/storage/following/arrival-signal.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { alertOf } from './alert-of.js';

/** Records calls and saved queues in order: the call and the number of waiting alerts. */
async function calling({ alerts, perMinute, bodyOf }: { alerts: number; perMinute: number; bodyOf?: () => unknown }) {
  const steps: string[] = [];
  const write = async (json: string): Promise<void> => {
    const { call, waiting } = JSON.parse(json);
    steps.push(`note of ${call === null ? 'no call' : call.alerts[0].issue.title}, ${waiting.length} waiting`);
  };
  const queue = await AlertQueue.open({ read: async () => undefined, write });
  const told = Array.from({ length: alerts }, (_, nth) => alertOf('new', nth));
  queue.apply({ cursor: 'c', alerts: told, beyond: NO_ALERTS, spikesBegun: new Set(), spikesEnded: new Set() });
  const [meters, states, logger] = [new Meters(), new ComponentStates(), pino({ level: 'silent' })];
  const telemetry = new AlertTelemetry({ id: 'webhook', destination: 'x', meters, states, logger }, () => queue);
  const stop = new AbortController();
  const post = async (body: Uint8Array) => {
    steps.push(`call of ${Buffer.from(body).toString()}`);
    return { status: 200, header: () => undefined, body: Buffer.alloc(0) };
  };
  const deliver = {
    ...{ client: { post }, key: undefined, refused: undefined, telemetry, stop: stop.signal, abort: stop.signal },
    bodyOf: bodyOf ?? ((call: Call) => call.alerts[0]?.issue.title),
    beginBackoff: () => () => 0,
  };
  const rate = new CallRate(perMinute, () => 0);
  const running = sendCalls(queue, {
    arrivals: new ArrivalSignal(),
    rate,
    deliver,
    save: () => queue.save(),
    maxAlertsPerCall: 1,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { queue, steps, telemetry, end };
}

describe('consecutive calls', () => {
  it('are recorded before they are made, with the end of the previous one, and at the end', async () => {
    const { steps, end } = await calling({ alerts: 3, perMinute: 9 });
    await waitFor('the last note', () => steps.at(-1) === 'note of no call, 0 waiting');
    await end();
    expect(steps).toEqual([
      'note of Failure 0, 2 waiting',
      'call of "Failure 0"',
      'note of Failure 1, 1 waiting',
      'call of "Failure 1"',
      'note of Failure 2, 0 waiting',
      'call of "Failure 2"',
      'note of no call, 0 waiting',
    ]);
  });

  it('are recorded as done if the next one has to wait for the rate, and stop during that wait', async () => {
    const { steps, end } = await calling({ alerts: 2, perMinute: 1 });
    await waitFor('the last note', () => steps.length === 3);
    await end();
    expect(steps).toEqual(['note of Failure 0, 1 waiting', 'call of "Failure 0"', 'note of no call, 1 waiting']);
  });

  it('are skipped if their message cannot be built, without delaying later ones', async () => {
    const bodyOf = (): never => {
      throw new Error('words of an event');
    };
    const { queue, steps, telemetry, end } = await calling({ alerts: 2, perMinute: 9, bodyOf });
    await waitFor('both', () => queue.pending === 0 && steps.length === 3);
    await end();
    expect(telemetry.stats()).toMatchObject({
      lost: 2,
      last_error: { message: 'it could not be encoded as a message' },
    });
  });
});
