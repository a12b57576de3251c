import { pino } from 'pino';
import type { Component } from '../../collector/component/built-in.js';
import type { Consumer } from '../../collector/component/consumer.js';
import { createAttributesProcessor } from '../../collector/processors/attributes/attributes-processor.js';
import { createEventProcessor } from '../../collector/processors/event-processor/event-processor.js';
import { createFilterProcessor } from '../../collector/processors/filter-processor.js';
import { createMemoryLimiter } from '../../collector/processors/memory-limiter-processor.js';
import { createRedactionProcessor } from '../../collector/processors/redaction/redaction-processor.js';
import { SamplingProcessor } from '../../collector/processors/sampling/sampling-processor.js';
import { rateLimitRule, sampleRule } from '../../collector/processors/sampling/sampling-rule.js';
import { ComponentStates } from '../../collector/telemetry/component-states.js';
import type { Meters } from '../../collector/telemetry/meters.js';
import { hasSettingsType } from '../../config/component-settings.js';
import { loadDefaultConfig } from '../../config/default-config.js';
import { loadConfig } from '../../config/load-config.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { createCachedGrouper } from '../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../core/fingerprint/grouping-settings.js';
import type { SettingsByType } from '../../generated/settings-by-type.js';
import { eventWithSecrets, kilobyteEvent } from './kilobyte-events.js';
import { unseenEvent } from './unseen-events.js';

/** The dependencies of a measured processor. */
interface Dependencies {
  readonly consumer: Consumer;
  readonly meters: Meters;
}

/** A measured processor and its events. */
export interface LoneProcessor {
  /** For the name of its row. */
  readonly title: string;
  readonly build: (dependencies: Dependencies) => Component & Consumer;
  /** Returns an event; each serial number is used once in a measurement. */
  readonly event: (serial: number) => RawPayload;
  /** The work that it is compared with. */
  readonly floor: 'encoding' | 'grouping';
  /** How often a round repeats its batches if one pass is too short to measure; default 1. */
  readonly passes?: number;
}

const KINDS = 200;
const logger = pino({ level: 'silent' });

/** Loads the settings of a processor with defaults. */
function settingsOf<Type extends keyof SettingsByType>(type: Type, own: string): SettingsByType[Type] {
  const sets = [`processors.${type}=${own}`, `service.pipelines.events.processors=[${type}]`];
  const settings = loadConfig({ files: [loadDefaultConfig()], sets, env: {} }).settings.processors[type];
  if (hasSettingsType(type, type, settings)) return settings;
  throw new Error(`${type} is not a processor`);
}

function ordinary(serial: number): RawPayload {
  return kilobyteEvent(serial % KINDS, serial);
}

function filter({ consumer, meters }: Dependencies): Component & Consumer {
  const settings = settingsOf('filter', '{drop: ["level:debug", \'service:checkout "connection reset"\']}');
  return createEventProcessor('filter', { consumer, meters, logger }, createFilterProcessor(settings));
}

const ACTIONS = [
  '{key: tags.cluster, action: insert, value: eu-1}',
  '{key: tags.region, action: update, value: eu}',
  '{key: extra.team, action: upsert, from_attribute: tags.host}',
  '{key: tags.timeout_ms, action: delete}',
  '{key: user_id, action: hash}',
];

function attributes({ consumer, meters }: Dependencies): Component & Consumer {
  const settings = settingsOf('attributes', `{actions: [${ACTIONS.join(', ')}]}`);
  return createEventProcessor('attributes', { consumer, meters, logger }, createAttributesProcessor(settings));
}

function redaction({ consumer, meters }: Dependencies): Component & Consumer {
  const processor = createRedactionProcessor('redaction', settingsOf('redaction', '{}'), { meters });
  return createEventProcessor('redaction', { consumer, meters, logger }, processor);
}

function rateLimit(dependencies: Dependencies): Component & Consumer {
  const settings = settingsOf('rate_limit', '{}');
  const grouper = createCachedGrouper(DEFAULT_GROUPING);
  const options = { ...dependencies, grouper: () => grouper, logger };
  return new SamplingProcessor('rate_limit', rateLimitRule(settings), settings, options);
}

function sample(dependencies: Dependencies): Component & Consumer {
  const settings = settingsOf('sample', '{}');
  const grouper = createCachedGrouper(DEFAULT_GROUPING);
  const options = { ...dependencies, grouper: () => grouper, logger };
  return new SamplingProcessor('sample', sampleRule(settings), settings, options);
}

function memoryLimiter({ consumer, meters }: Dependencies): Component & Consumer {
  const settings = settingsOf('memory_limiter', '{}');
  const states = new ComponentStates();
  return createMemoryLimiter('memory_limiter', settings, { consumer, meters, states, logger });
}

const stormEvent = (serial: number): RawPayload => kilobyteEvent(0, serial);
const unseen = (serial: number): RawPayload => unseenEvent('v8', serial);

/** The measured processors by the name that the program `lone-processor` gets. */
export const LONE_PROCESSORS: ReadonlyMap<string, LoneProcessor> = new Map([
  ['filter', { title: 'filter, two queries', build: filter, event: ordinary, floor: 'encoding' }],
  ['attributes', { title: 'attributes, five actions', build: attributes, event: ordinary, floor: 'encoding' }],
  [
    'redaction',
    { title: 'redaction, no secrets, stacks that come again', build: redaction, event: ordinary, floor: 'encoding' },
  ],
  [
    'redaction_unseen',
    {
      title: 'redaction, no secrets, stacks never seen before',
      build: redaction,
      event: (serial) => kilobyteEvent(serial, serial),
      floor: 'encoding',
    },
  ],
  [
    'redaction_of_secrets',
    {
      title: 'redaction, three secrets in each event, stacks that come again',
      build: redaction,
      event: (serial) => eventWithSecrets(serial % KINDS, serial),
      floor: 'encoding',
    },
  ],
  ['rate_limit', { title: 'rate_limit, one failure', build: rateLimit, event: stormEvent, floor: 'encoding' }],
  ['sample', { title: 'sample, one failure', build: sample, event: stormEvent, floor: 'encoding' }],
  [
    'memory_limiter',
    { title: 'memory_limiter', build: memoryLimiter, event: ordinary, floor: 'encoding', passes: 1_000 },
  ],
  [
    'rate_limit_unseen',
    { title: 'rate_limit, failures never seen before', build: rateLimit, event: unseen, floor: 'grouping' },
  ],
  ['sample_unseen', { title: 'sample, failures never seen before', build: sample, event: unseen, floor: 'grouping' }],
] satisfies [string, LoneProcessor][]);
