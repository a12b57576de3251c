import { pino } from 'pino';
import { AlertTelemetry } from '../../../../collector/exporters/webhook/alert-telemetry.js';
import { ComponentStates } from '../../../../collector/telemetry/component-states.js';
import { Meters } from '../../../../collector/telemetry/meters.js';

describe('the telemetry of a webhook', () => {
  it('counts alerts by kind and outcome, and is unhealthy until a call succeeds', () => {
    const [meters, states] = [new Meters(), new ComponentStates()];
    const queue = () => ({ pending: 4, oldestAt: new Date(Date.now() - 60_000).toISOString() });
    const logger = pino({ level: 'silent' });
    const telemetry = new AlertTelemetry({ id: 'webhook/a', destination: 'https://x', meters, states, logger }, queue);
    telemetry.start();
    expect(meters.samples('faultline_exporter_queue_size')).toEqual([{ labels: { exporter: 'webhook/a' }, value: 4 }]);
    telemetry.countDropped({ new: 2, regressed: 0, spiking: 1 }, 'it is gone');
    const failing = { id: 'webhook/a', kind: 'exporter', status: 'StatusRecoverableError', error: 'it is gone' };
    expect(states.snapshot()).toMatchObject([failing]);
    expect(telemetry.stats()).toMatchObject({
      waiting: 4,
      lost: 3,
      failing: true,
      last_error: { message: 'it is gone' },
    });
    expect(telemetry.stats().oldest_age_ms).toBeGreaterThanOrEqual(60_000);
    telemetry.countSent({ new: 0, regressed: 1, spiking: 0 });
    expect(states.snapshot()).toMatchObject([{ status: 'StatusOK' }]);
    expect(states.snapshot()[0]).not.toHaveProperty('error');
    const counted = meters
      .samples('faultline_exporter_alerts')
      .flatMap(({ labels, value }) => (value > 0 ? [[labels['kind'], labels['outcome'], value]] : []));
    expect(counted.sort()).toEqual([
      ['new', 'failed', 2],
      ['regressed', 'sent', 1],
      ['spiking', 'failed', 1],
    ]);
    telemetry.stop();
    expect(meters.samples('faultline_exporter_queue_size')).toEqual([]);
  });

  it('is healthy only if nothing fails any more, and logs each change once', () => {
    const logged: unknown[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
    const [meters, states] = [new Meters(), new ComponentStates()];
    const telemetry = new AlertTelemetry({ id: 'webhook', destination: 'x', meters, states, logger }, () => undefined);
    for (let call = 0; call < 3; call += 1) {
      telemetry.reportFailing('the disk is full', 'saving');
      telemetry.countSent({ new: 1, regressed: 0, spiking: 0 });
    }
    telemetry.reportFailing('nobody is there');
    telemetry.reportHealthy();
    expect(states.snapshot()).toMatchObject([{ status: 'StatusRecoverableError', error: 'the disk is full' }]);
    telemetry.reportHealthy('watching');
    expect(telemetry.stats()).toMatchObject({ sent: 3, failing: true, last_error: { message: 'nobody is there' } });
    telemetry.reportHealthy('saving');
    expect(telemetry.stats().failing).toBe(false);
    expect(states.snapshot()).toMatchObject([{ status: 'StatusOK' }]);
    expect(logged).toEqual(['sending fails', 'sending resumed']);
  });
});
