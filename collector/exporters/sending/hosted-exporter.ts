import { within } from '../../../core/within.js';
import type { DeliveredExporter, FollowingExporter, Internal } from '../../component/built-in.js';
import { type FollowedStore, followStore } from './follow-store.js';
import type { Deliver } from './record-sender.js';
import { beginBackoff, retrying } from './retrying.js';
import { reasonOf } from './running-sender.js';

interface HostedExporterOptions extends Pick<Internal, 'logger' | 'meters' | 'states'> {
  readonly store: FollowedStore;
}

/** Delivers the stored events to an exporter that takes batches. Fault of `start`: `FOLLOWER_EXISTS`. */
export function hostExporter(
  id: string,
  exporter: DeliveredExporter,
  { store, logger, meters, states }: HostedExporterOptions,
): Required<Omit<FollowingExporter, 'actions'>> {
  const { destination = id } = exporter;
  const { queue, retry, timeoutMs, isDurable } = exporter.delivery;
  const following = followStore({ id, destination, store, queue, isDurable, logger, meters, states });
  const { telemetry, stop } = following;

  const deliver: Deliver = async (events) => {
    const attempt = async () => {
      try {
        const outcomes = await within(timeoutMs, exporter.consume({ events }));
        if (outcomes?.length === events.length) return { kind: 'completed', result: outcomes } as const;
        const reason = outcomes === undefined ? `it held a batch longer than ${timeoutMs} ms` : MISMATCH;
        return { kind: 'retry', reason } as const;
      } catch (error) {
        return { kind: 'retry', reason: reasonOf(error) } as const;
      }
    };
    const tried = await retrying(attempt, beginBackoff(retry), stop, (reason) => telemetry.reportFailing(reason));
    if (tried.kind === 'stopped') return 'stopped';
    if (tried.kind === 'given_up') telemetry.countDropped(events.length, tried.reason);
    else {
      const dropped = tried.result.filter((outcome) => outcome?.kind !== 'stored').length;
      telemetry.countSent(events.length - dropped);
      if (dropped > 0) telemetry.countDropped(dropped, 'the exporter did not take them');
      telemetry.reportHealthy();
    }
    return 'done';
  };

  return {
    destination,
    stats: telemetry.stats,
    async start() {
      await exporter.start?.(stop);
      await following.start(deliver).catch(async (error: unknown) => {
        await exporter.shutdown?.();
        throw error;
      });
    },
    async shutdown() {
      await following.shutdown();
      await exporter.shutdown?.();
    },
  };
}

const MISMATCH = 'it did not return one outcome per event';
