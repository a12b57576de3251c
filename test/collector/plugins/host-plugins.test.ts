import { pino } from 'pino';
import type {
  ExporterInternal,
  ExtensionInternal,
  ProcessorInternal,
  ReceiverInternal,
} from '../../../collector/component/built-in.js';
import { hostPlugins } from '../../../collector/plugins/host-plugins.js';
import type { PluginComponent } from '../../../collector/plugins/load-plugins.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import { DEFAULT_LIMITS } from '../../helpers/event-limits.js';
import { createMemoryConsumer } from '../memory-consumer.js';

describe('a component of a plugin', () => {
  it.each([
    ['receivers', ['allow', 'clock', 'consumer', 'id', 'ledger', 'logger', 'metrics']],
    ['processors', ['clock', 'id', 'ledger', 'logger', 'metrics']],
    ['exporters', ['clock', 'id', 'ledger', 'logger', 'metrics']],
    ['extensions', ['allow', 'clock', 'id', 'ledger', 'logger', 'metrics']],
  ] as const)('in %s gets the public context and nothing internal', (section, members) => {
    let given = {};
    const part: PluginComponent = {
      section,
      type: 'curious',
      description: 'Looks around.',
      stability: 'alpha',
      schema: { type: 'object' },
      origin: './curious.mjs',
      version: undefined,
      file: '/curious.mjs',
      create: (_settings, context) => {
        given = context;
        return { consume: async () => [] };
      },
    };
    const settings: object = { error_mode: 'propagate', timeout: '5s', limits: DEFAULT_LIMITS };
    const logger = pino({ level: 'silent' });
    const meters = new Meters();
    const ledger = new Ledger();
    const account = ledger.account('curious');
    const internal = { logger, meters, ledger, account, consumer: createMemoryConsumer() };
    const context = {
      id: 'curious',
      logger,
      metrics: { count: () => undefined },
      clock: { now: Date.now, monotonic: () => performance.now() },
      ledger,
      internal: internal as unknown as ReceiverInternal & ProcessorInternal & ExporterInternal & ExtensionInternal,
    };
    hostPlugins([part])[section]['curious']?.create(settings as never, context);
    expect(Object.keys(given).toSorted()).toEqual(members);
  });
});
