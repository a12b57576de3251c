import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { within } from '../../../core/within.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { DeliveredExporter, FollowingExporter, Internal } from '../../component/built-in.js';
import type { Outcome } from '../../component/plugin.js';
import { type FollowedStore, StoreSender } from './follow-store.js';
import type { DeliveryResult } from './record-sender.js';
import { type Attempt, beginBackoff, retrying } from './retrying.js';
import { reasonOf } from './running-sender.js';

interface HostedExporterOptions extends Pick<Internal, 'logger' | 'meters' | 'states'> {
  readonly store: FollowedStore;
}

/** Delivers the stored events to an exporter that takes batches. */
export class HostedExporter implements Required<Omit<FollowingExporter, 'actions'>> {
  readonly destination: string;
  readonly #exporter: DeliveredExporter;
  readonly #sender: StoreSender;

  constructor(id: string, exporter: DeliveredExporter, { store, logger, meters, states }: HostedExporterOptions) {
    const { destination = id } = exporter;
    const { queue, isDurable } = exporter.delivery;
    this.destination = destination;
    this.#exporter = exporter;
    this.#sender = new StoreSender({ id, destination, store, queue, isDurable, logger, meters, states });
  }

  stats(): ExporterStats {
    return this.#sender.telemetry.stats();
  }

  /** Fault `FOLLOWER_EXISTS`. */
  async start(): Promise<void> {
    await this.#exporter.start?.(this.#sender.stop);
    try {
      await this.#sender.start((events) => this.#deliver(events));
    } catch (error) {
      await this.#exporter.shutdown?.();
      throw error;
    }
  }

  async shutdown(): Promise<void> {
    await this.#sender.shutdown();
    await this.#exporter.shutdown?.();
  }

  /** Retries while that can help, and then drops the batch. */
  async #deliver(events: readonly FollowedEvent[]): Promise<DeliveryResult> {
    const { telemetry, stop } = this.#sender;
    const backoff = beginBackoff(this.#exporter.delivery.retry);
    const onRetry = (reason: string): void => telemetry.reportFailing(reason);
    const delivery = await retrying(() => this.#attempt(events), backoff, stop, onRetry);
    if (delivery.kind === 'stopped') return 'stopped';
    if (delivery.kind === 'given_up') {
      telemetry.countDropped(events.length, delivery.reason);
      return 'done';
    }
    const dropped = delivery.result.filter((outcome) => outcome?.kind !== 'stored').length;
    telemetry.countSent(events.length - dropped);
    if (dropped > 0) telemetry.countDropped(dropped, 'the exporter did not take them');
    telemetry.reportHealthy();
    return 'done';
  }

  async #attempt(events: readonly FollowedEvent[]): Promise<Attempt<readonly Outcome[]>> {
    const { timeoutMs } = this.#exporter.delivery;
    try {
      const outcomes = await within(timeoutMs, this.#exporter.consume({ events }));
      if (outcomes === undefined) return { kind: 'retry', reason: `it held a batch longer than ${timeoutMs} ms` };
      if (outcomes.length === events.length) return { kind: 'completed', result: outcomes };
      return { kind: 'retry', reason: 'it did not return one outcome per event' };
    } catch (error) {
      return { kind: 'retry', reason: reasonOf(error) };
    }
  }
}
