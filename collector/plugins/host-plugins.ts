import { parseDuration } from '../../config/values/duration.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { JsonObject } from '../../core/event/json.js';
import { within } from '../../core/within.js';
import type { EventLimits, QueueSettings, RetrySettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import type * as plugin from '../component/plugin.js';
import type { FollowedStore } from '../exporters/sending/follow-store.js';
import { hostExporter } from '../exporters/sending/hosted-exporter.js';
import { createEventProcessor, createFailureReporter } from '../processors/event-processor/event-processor.js';
import { Intake } from '../receivers/intake/intake.js';
import type { RecordOutcome } from '../receivers/intake/pending-records.js';
import { guardProcessor, plainJson } from './guard-processor.js';
import type { PluginComponent } from './load-plugins.js';

/** The settings of a plugin's component that its host uses, see `extendSchema`. */
interface HostSettings {
  readonly error_mode: 'propagate' | 'ignore';
  /** A duration. */
  readonly timeout: string;
  /** Of receivers. */
  readonly limits: EventLimits;
  /** Of exporters. */
  readonly sending_queue: QueueSettings;
  readonly retry_on_failure: RetrySettings;
}

type Host<Needs, Built> = Readonly<
  Record<string, (id: string, settings: unknown, needs: ComponentContext & Needs) => Built>
>;

/** Builders of the components of plugins by type, for each section. */
export type HostedPlugins = ReturnType<typeof hostPlugins>;

const START_MS = 30_000;
/** Bound of `shutdown`, so that the store still has time to close. */
const STOP_MS = 1_000;

/** Returns builders that keep the promises of the collector whatever a component of a plugin does, unless it blocks the event loop. */
export function hostPlugins(components: readonly PluginComponent[]) {
  const host = <Needs, Built>(
    section: PluginComponent['section'],
    build: (part: PluginComponent, id: string, settings: HostSettings, needs: ComponentContext & Needs) => Built,
  ): Host<Needs, Built> =>
    Object.fromEntries(
      components.flatMap((part) =>
        part.section === section
          ? [[part.type, (id, settings, needs) => build(part, id, settings as HostSettings, needs)]]
          : [],
      ),
    );
  return {
    receivers: host('receivers', hostReceiver),
    processors: host('processors', hostProcessor),
    exporters: host('exporters', (part, id, settings, needs: ComponentContext & { readonly store: FollowedStore }) => {
      const made = create<plugin.Exporter>(part, settings, contextOf(id, needs), true);
      const consume = (batch: plugin.Batch<plugin.StoredEvent>) => made.consume(batch);
      const exporter = { ...lifecycleOf(made, settings, needs), consume, destination: made.destination ?? id };
      const retry = { ...settings.retry_on_failure, ...(settings.error_mode === 'ignore' && { enabled: false }) };
      const bounds = { queue: settings.sending_queue, retry, timeoutMs: parseDuration(settings.timeout) };
      return hostExporter(id, exporter, { ...needs, ...bounds, isDurable: true });
    }),
    extensions: host('extensions', (part, id, settings, needs: ComponentContext) => {
      const made = create<plugin.Extension>(part, settings, contextOf(id, needs));
      return {
        ...lifecycleOf(made, settings, needs),
        get url() {
          return made.url;
        },
      };
    }),
  };
}

function hostReceiver(
  part: PluginComponent,
  id: string,
  settings: HostSettings,
  needs: ComponentContext & { readonly consumer: Consumer },
) {
  const account = needs.ledger.account(id);
  const intake = new Intake({ receiver: id, consumer: needs.consumer, account, defaults: {}, limits: settings.limits });
  const consume: plugin.ReceiverContext['consumer']['consume'] = async ({ events }) => {
    const outcomes: RecordOutcome[] = [];
    const at = (index: number) => {
      const text = plainJson(events[index]?.payload);
      return { value: JSON.parse(text) as JsonObject, received: () => Buffer.from(text) };
    };
    const refusal = await intake.accept({ length: events.length, at }, outcomes).catch((error: unknown) => error);
    return events.map((_, index) => outcomeOf(outcomes[index], refusal));
  };
  const context: plugin.ReceiverContext = { ...contextOf(id, needs), consumer: { consume } };
  const made = create<plugin.Receiver>(part, settings, context);
  return {
    ...lifecycleOf(made, settings, needs),
    get urls() {
      return made.urls ?? [];
    },
  };
}

function outcomeOf(outcome: RecordOutcome | undefined, refusal: unknown): plugin.Outcome {
  if (outcome === undefined) {
    const isFault = refusal instanceof Fault;
    return { kind: 'refused', reason: isFault ? refusal.code : 'FAILED', retryable: !isFault || refusal.retryable };
  }
  if (outcome.kind === 'stored') return { kind: 'stored' };
  if (outcome.kind === 'rejected') return { kind: 'rejected', ...outcome.rejection };
  return { kind: 'dropped', as: outcome.as, reason: 'DROPPED_BY_PROCESSOR' };
}

function hostProcessor(
  part: PluginComponent,
  id: string,
  settings: HostSettings,
  needs: ComponentContext & { readonly consumer: Consumer },
) {
  const made = create<plugin.Processor>(part, settings, contextOf(id, needs), true);
  const failed = needs.meters.counter('faultline_processor_failed_items', { processor: id });
  const guarded = guardProcessor(made, {
    name: `${id} of ${part.origin}`,
    isRefusing: settings.error_mode === 'propagate',
    timeoutMs: parseDuration(settings.timeout),
    onFailure: createFailureReporter(failed, needs.logger, false),
  });
  return { ...createEventProcessor(id, needs, 'ignore', guarded), ...lifecycleOf(made, settings, needs) };
}

function contextOf(id: string, { logger, meters, ledger }: ComponentContext): plugin.Context {
  return {
    id,
    logger,
    metrics: { count: (name, by) => meters.counter('faultline_plugin_items', { component: id, name }).add(by) },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    ledger: { snapshot: () => ledger.snapshot() },
  };
}

/** Creates a component; `isConsumer` says that it must have `consume`. Fault: `PLUGIN_FAILED`. */
function create<Built extends plugin.Component>(
  part: PluginComponent,
  settings: HostSettings,
  context: plugin.Context,
  isConsumer = false,
): Built {
  const fail = (reason: string, cause?: unknown) =>
    new Fault('PLUGIN_FAILED', `${part.origin} did not create ${context.id}: ${reason}`, { cause });
  let made: unknown;
  try {
    made = part.create(settings, context);
  } catch (error) {
    throw fail(messageOf(error), error);
  }
  const isUsable =
    typeof made === 'object' && made !== null && (!isConsumer || typeof Object(made).consume === 'function');
  if (!isUsable) throw fail(isConsumer ? 'it needs a function consume' : 'it is not an object');
  return made as Built;
}

function lifecycleOf(
  made: plugin.Component,
  { error_mode: errorMode }: HostSettings,
  { logger }: Pick<ComponentContext, 'logger'>,
): Component {
  const bounded = async (timeoutMs: number, work: () => Promise<void> | undefined): Promise<void> => {
    const ended = await within(
      timeoutMs,
      Promise.resolve()
        .then(work)
        .then(() => true),
    );
    if (ended === undefined) throw new Fault('PLUGIN_TIMEOUT', `it took longer than ${timeoutMs / 1000} s`);
  };
  return {
    async start(stop) {
      try {
        await bounded(START_MS, () => made.start?.(stop));
      } catch (error) {
        if (errorMode === 'propagate') throw error;
        logger.error({ reason: messageOf(error) }, 'did not start; the collector runs without it');
      }
    },
    async shutdown() {
      await bounded(STOP_MS, () => made.shutdown?.()).catch((error: unknown) => {
        logger.error({ reason: messageOf(error) }, 'did not stop');
      });
    },
  };
}
