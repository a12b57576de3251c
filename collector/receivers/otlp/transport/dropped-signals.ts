import { Fault } from '../../../../core/event/fault.js';
import type { OtlpSignalSettings } from '../../../../generated/settings.js';
import type { Counter, Meters } from '../../../telemetry/meters.js';

/** A signal of OTLP without failures. */
export type DroppedSignal = keyof OtlpSignalSettings;

/** Where clients send these signals, by default over HTTP. */
const ADDRESSES: Readonly<Record<DroppedSignal, { readonly path: string; readonly method: string }>> = {
  metrics: {
    path: '/v1/metrics',
    method: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  },
  profiles: {
    path: '/v1development/profiles',
    method: '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
  },
};

/** All of them with their addresses. */
export const DROPPED_SIGNALS = Object.entries(ADDRESSES).map(([signal, address]) => ({
  signal: signal as DroppedSignal,
  ...address,
}));

/** Requests with signals that clients send to the same endpoint: accepted, counted and dropped, or refused. */
export class DroppedSignals {
  readonly #settings: OtlpSignalSettings;
  readonly #counters: Readonly<Record<DroppedSignal, Counter>>;

  constructor(receiver: string, settings: OtlpSignalSettings, meters: Meters) {
    this.#settings = settings;
    const of = (signal: DroppedSignal) => meters.counter('faultline_receiver_dropped_requests', { receiver, signal });
    this.#counters = { metrics: of('metrics'), profiles: of('profiles') };
  }

  /** Throws `SIGNAL_REFUSED` if the settings say so. */
  check(signal: DroppedSignal): void {
    if (this.#settings[signal] === 'drop') return;
    throw new Fault(
      'SIGNAL_REFUSED',
      `${signal} are not accepted here: disable their exporter, or send them elsewhere`,
    );
  }

  /** Counts a request whose body was dropped. */
  count(signal: DroppedSignal): void {
    this.#counters[signal].add();
  }
}
