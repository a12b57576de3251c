import { ComponentStates } from '../../../collector/telemetry/component-states.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import { StoreTelemetry } from '../../../collector/telemetry/store-telemetry.js';
import { waitFor } from '../../helpers/wait-for.js';

function telemetryOf(refusalMemoryMs?: number) {
  const meters = new Meters();
  const states = new ComponentStates();
  const telemetry = new StoreTelemetry('store', meters, states, refusalMemoryMs);
  states.report('exporter', 'store', 'StatusOK');
  return { telemetry, meters, state: () => states.snapshot()[0] };
}

describe('a store that refuses', () => {
  it('has a recoverable error until it accepts a batch', () => {
    const { telemetry, state } = telemetryOf();
    telemetry.refused('the disk is full');
    expect(state()).toMatchObject({ status: 'StatusRecoverableError', error: 'the disk is full' });
    telemetry.accepted();
    expect(state()?.status).toBe('StatusOK');
    expect(state()?.error).toBeUndefined();
    telemetry.closed();
  });

  it('is healthy again after a time without batches, so that clients retry', async () => {
    const { telemetry, state } = telemetryOf(20);
    telemetry.refused('the disk is full');
    // The timer of a refusal does not keep the process alive; this wait does.
    await waitFor('the end of the refusal', () => state()?.status === 'StatusOK');
    telemetry.refused('the disk is still full');
    expect(state()?.status).toBe('StatusRecoverableError');
    telemetry.closed();
  });
});

describe('batches at a store', () => {
  it('are counted while they wait, and measured when they are durable', () => {
    const { telemetry, meters } = telemetryOf();
    const durations = () =>
      meters.histograms('faultline_store_commit_duration_seconds')[0]?.counts.reduce((a, b) => a + b);
    const sent = () => meters.samples('faultline_exporter_sent_log_records')[0]?.value;
    const [one, other] = [telemetry.beginAppend(), telemetry.beginAppend()];
    expect([durations(), sent()]).toEqual([0, 0]);
    one(3);
    other(0);
    expect([durations(), sent()]).toEqual([1, 3]);
  });
});
