import { parseDuration } from '../../config/values/duration.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import { type JsonObject, parseWellFormed } from '../../core/event/json.js';
import { within } from '../../core/within.js';
import type { EventLimits, QueueSettings, RetrySettings } from '../../generated/settings.js';
import type {
  Component,
  DeliveredExporter,
  Extension,
  Factories,
  Internal,
  Receiver,
  ReceiverInternal,
  ReturningProcessor,
  Serves,
} from '../component/built-in.js';
import type * as plugin from '../component/plugin.js';
import { createFailureReporter } from '../processors/event-processor/event-processor.js';
import { Intake, type RecordOutcome } from '../receivers/intake/intake.js';
import { guardProcessor } from './guard-processor.js';
import { allowBy, routesOf } from './host-routes.js';
import type { PluginComponent } from './load-plugins.js';
import { plainJson } from './plugin-payload.js';

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

type InternalContext<Given extends Internal> = plugin.Context & { readonly internal: Given };

const START_MS = 30_000;
/** Bound of `shutdown`, so that the store still has time to close. */
const STOP_MS = 1_000;

/** Wraps the components of plugins, so that the collector keeps its promises whatever one does, unless it blocks the event loop. */
export function hostPlugins(components: readonly PluginComponent[]): Factories {
  const hosted = <Given extends Internal, Built>(
    section: PluginComponent['section'],
    host: (part: PluginComponent, settings: HostSettings, context: InternalContext<Given>) => Built,
  ) =>
    Object.fromEntries(
      components
        .filter((part) => part.section === section)
        .map((part) => {
          const create = (settings: HostSettings, context: InternalContext<Given>) => host(part, settings, context);
          return [part.type, { stability: part.stability, create }] as const;
        }),
    );
  return {
    receivers: hosted('receivers', hostReceiver),
    processors: hosted('processors', hostProcessor),
    exporters: hosted('exporters', hostExporter),
    extensions: hosted('extensions', hostExtension),
  };
}

function hostReceiver(
  part: PluginComponent,
  settings: HostSettings,
  { internal, ...context }: InternalContext<ReceiverInternal>,
): Receiver {
  const { consumer, account } = internal;
  const intake = new Intake({ receiver: context.id, consumer, account, defaults: {}, limits: settings.limits });
  const consume: plugin.ReceiverContext['consumer']['consume'] = async ({ events }) => {
    const outcomes: RecordOutcome[] = [];
    const at = (index: number) => {
      const text = plainJson(events[index]?.payload);
      return { value: parseWellFormed(text).value as JsonObject, received: () => Buffer.from(text) };
    };
    const refusal = await intake.accept({ length: events.length, at }, outcomes).catch((error: unknown) => error);
    return events.map((_, index) => outcomeOf(outcomes[index], refusal));
  };
  const given: plugin.ReceiverContext = { ...context, allow: allowBy(internal), consumer: { consume } };
  const receiver = create<plugin.Receiver>(part, settings, given);
  return {
    ...boundedLife(receiver, settings, internal),
    routes: routesOf(part, receiver),
    get urls() {
      return receiver.urls ?? [];
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
  settings: HostSettings,
  { internal, ...context }: InternalContext<Internal>,
): ReturningProcessor {
  const processor = create<plugin.Processor>(part, settings, context, true);
  const failed = internal.meters.counter('faultline_processor_failed_items', { processor: context.id });
  const guarded = guardProcessor(processor, {
    name: `${context.id} of ${part.origin}`,
    isRefusing: settings.error_mode === 'propagate',
    timeoutMs: parseDuration(settings.timeout),
    onFailure: createFailureReporter(failed, internal.logger, false),
  });
  return { ...boundedLife(processor, settings, internal), consume: guarded.consume };
}

function hostExporter(
  part: PluginComponent,
  settings: HostSettings,
  { internal, ...context }: InternalContext<Internal>,
): DeliveredExporter {
  const exporter = create<plugin.Exporter>(part, settings, context, true);
  const { sending_queue: queue, retry_on_failure: retry } = settings;
  return {
    ...boundedLife(exporter, settings, internal),
    consume: (batch) => exporter.consume(batch),
    destination: exporter.destination ?? context.id,
    delivery: {
      queue,
      retry: settings.error_mode === 'ignore' ? { ...retry, enabled: false } : retry,
      timeoutMs: parseDuration(settings.timeout),
      isDurable: true,
    },
  };
}

function hostExtension(
  part: PluginComponent,
  settings: HostSettings,
  { internal, ...context }: InternalContext<Internal>,
): Extension {
  const given: plugin.EndpointContext = { ...context, allow: allowBy(internal) };
  const extension = create<plugin.Extension>(part, settings, given);
  return {
    ...boundedLife(extension, settings, internal),
    routes: routesOf(part, extension),
    get url() {
      return extension.url;
    },
  };
}

/** Creates a component; `isConsumer` says that it must have `consume`. Faults: `PLUGIN_FAILED`, and those of `context`. */
function create<Built extends plugin.Component>(
  part: PluginComponent,
  settings: HostSettings,
  context: plugin.Context,
  isConsumer = false,
): Built {
  const fail = (reason: string, cause?: unknown) => {
    const code = cause instanceof Fault ? cause.code : 'PLUGIN_FAILED';
    return new Fault(code, `${part.origin} did not create ${context.id}: ${reason}`, { cause });
  };
  let component: unknown;
  try {
    component = part.create(settings, context);
  } catch (error) {
    throw fail(messageOf(error), error);
  }
  const isUsable =
    typeof component === 'object' &&
    component !== null &&
    (!isConsumer || typeof Object(component).consume === 'function');
  if (!isUsable) throw fail(isConsumer ? 'it needs a function consume' : 'it is not an object');
  return component as Built;
}

/** Starts and stops a component within a time limit. */
function boundedLife(
  component: plugin.Component & Pick<plugin.Extension, 'drain'>,
  { error_mode: errorMode }: HostSettings,
  { logger }: Pick<Internal, 'logger'>,
): Component & Pick<Serves, 'drain'> {
  const ending = (work: () => Promise<void> | undefined) =>
    bounded(STOP_MS, work).catch((error: unknown) => {
      logger.error({ reason: messageOf(error) }, 'did not stop');
    });
  return {
    async start(stop) {
      try {
        await bounded(START_MS, () => component.start?.(stop));
      } catch (error) {
        if (errorMode === 'propagate') throw error;
        logger.error({ reason: messageOf(error) }, 'did not start; the collector runs without it');
      }
    },
    shutdown: () => ending(() => component.shutdown?.()),
    drain: () => ending(() => component.drain?.()),
  };
}

/** Rejects with `PLUGIN_TIMEOUT` if the work takes longer. */
async function bounded(timeoutMs: number, work: () => Promise<void> | undefined): Promise<void> {
  const ended = await within(
    timeoutMs,
    Promise.resolve()
      .then(work)
      .then(() => true),
  );
  if (ended === undefined) throw new Fault('PLUGIN_TIMEOUT', `it took longer than ${timeoutMs / 1000} s`);
}
