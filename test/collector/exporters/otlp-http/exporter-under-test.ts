import { pino } from 'pino';
import { OtlpHttpExporter } from '../../../../collector/exporters/otlp-http/otlp-http-exporter.js';
import { ComponentStates } from '../../../../collector/telemetry/component-states.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { CounterName, GaugeName } from '../../../../collector/telemetry/metric-catalogue.js';
import { hasSettingsType } from '../../../../config/component-settings.js';
import type { EventStore } from '../../../../core/storage/event-store.js';
import { closeStores } from '../../../core/storage/store-under-test.js';
import { closeBodyServers } from '../../../helpers/body-server.js';
import { settingsFor } from '../../running-service.js';

/** An exporter with its store, log and metrics. */
export interface ExporterUnderTest {
  readonly exporter: OtlpHttpExporter;
  readonly meters: Meters;
  readonly states: ComponentStates;
  readonly logged: Record<string, unknown>[];
  /** Returns one sample of a metric of the exporter. */
  metric(name: CounterName | GaugeName, labels?: Record<string, string>): number | undefined;
}

const running: OtlpHttpExporter[] = [];

/** Builds settings from `a.b=c` below the exporter; retries after a millisecond and starts at the beginning of the store. */
export async function startExporter(
  store: Pick<EventStore, 'follow'>,
  endpoint: string,
  ...sets: string[]
): Promise<ExporterUnderTest> {
  const under = createExporter(store, endpoint, ...sets);
  await under.exporter.start();
  running.push(under.exporter);
  return under;
}

export function createExporter(
  store: Pick<EventStore, 'follow'>,
  endpoint: string,
  ...sets: string[]
): ExporterUnderTest {
  const quick = [
    'retry_on_failure.initial_interval=1ms',
    'sending_queue.start_at=beginning',
    'sending_queue.flush_interval=1ms',
  ];
  const all = [`endpoint=${endpoint}`, ...quick, ...sets].map((set) => `exporters.otlp_http.${set}`);
  const settings = settingsFor('/nowhere', ...all).exporters['otlp_http'];
  if (!hasSettingsType('otlp_http', 'otlp_http', settings)) throw new Error('bad fixture');
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const meters = new Meters();
  const states = new ComponentStates();
  const exporter = new OtlpHttpExporter('otlp_http', settings, {
    store: { opened: () => store },
    meters,
    states,
    logger,
  });
  return {
    exporter,
    meters,
    states,
    logged,
    metric: (name, labels = {}) => {
      const wanted = { exporter: 'otlp_http', ...labels };
      const isWanted = (given: Readonly<Record<string, string>>): boolean =>
        Object.entries(wanted).every(([key, value]) => given[key] === value);
      return meters.samples(name).find((sample) => isWanted(sample.labels))?.value;
    },
  };
}

/** Call in `afterEach`: stops exporters, then stores and backends. */
export async function stopExporters(): Promise<void> {
  await Promise.all(running.splice(0).map((exporter) => exporter.shutdown()));
  await closeStores();
  await closeBodyServers();
}
