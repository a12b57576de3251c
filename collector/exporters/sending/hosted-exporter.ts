import { parseDuration } from '../../../config/values/duration.js';
import type { RecordFollower } from '../../../core/storage/following/record-follower.js';
import { within } from '../../../core/within.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { QueueSettings, RetrySettings } from '../../../generated/settings.js';
import type { Component, ComponentContext } from '../../component/component.js';
import type { Exporter } from '../../component/plugin.js';
import { ExportTelemetry } from './export-telemetry.js';
import { type DeliveryResult, RecordSender } from './record-sender.js';
import { beginBackoff, retrying } from './retrying.js';
import { type FollowedStore, RunningSender, reasonOf } from './running-sender.js';

interface HostedExporterOptions extends Pick<ComponentContext, 'logger' | 'meters' | 'states'> {
  readonly store: FollowedStore;
  readonly queue: QueueSettings;
  /** A batch that it does not take is dropped when the retries end. */
  readonly retry: RetrySettings;
  /** How long it may hold a batch. */
  readonly timeoutMs: number;
  /** Whether its position survives a restart. */
  readonly isDurable: boolean;
}

/** Bound of a batch in progress on shutdown; a later start delivers it again. */
const STOP_MS = 800;

/** Delivers the stored events to an exporter that takes batches. Fault of `start`: `FOLLOWER_EXISTS`. */
export function hostExporter(
  id: string,
  exporter: Exporter,
  { store, queue, retry, timeoutMs, isDurable, logger, meters, states }: HostedExporterOptions,
): Component & { readonly destination: string; stats(): ExporterStats } {
  const { destination = id } = exporter;
  const running = new RunningSender();
  const { stop } = running;
  let follower: RecordFollower | undefined;
  const telemetry = new ExportTelemetry({ id, destination, logger, meters, states }, () => follower?.status());

  const deliver = async (events: Parameters<Exporter['consume']>[0]['events']): Promise<DeliveryResult> => {
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
    stats: () => telemetry.stats(),
    async start() {
      await exporter.start?.(stop);
      const holdMs = parseDuration(queue.retention_hold);
      const following = store.following().follow({ name: id, startAt: queue.start_at, holdMs, isDurable });
      const opened = await following.catch(async (error: unknown) => {
        await exporter.shutdown?.();
        throw error;
      });
      follower = opened;
      telemetry.start();
      const bounds = { maxEvents: queue.max_batch_events, waitMs: parseDuration(queue.flush_interval) };
      const sender = new RecordSender({ follower: opened, ...bounds, telemetry, stop, deliver });
      running.run(
        () => sender.sendAll(),
        (reason) => telemetry.reportFailing(reason),
      );
    },
    async shutdown() {
      await within(STOP_MS, running.end());
      telemetry.stop();
      await follower?.close();
      follower = undefined;
      await exporter.shutdown?.();
    },
  };
}

const MISMATCH = 'it did not return one outcome per event';
