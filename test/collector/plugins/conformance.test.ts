import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Factory, Processor } from '../../../collector/component/plugin.js';
import { createDebugExporter } from '../../../collector/exporters/debug-exporter.js';
import { conformance, createHost, samplePayload } from '../../../collector/plugins/testing.js';
import { createAttributesProcessor } from '../../../collector/processors/attributes/attributes-processor.js';
import type { AttributesProcessorSettings, DebugExporterSettings } from '../../../generated/settings.js';

const ABOUT = {
  description: 'Under test.',
  stability: 'alpha',
  schema: { type: 'object', additionalProperties: true },
};

function processorOf(consume: Processor['consume']): Factory<Processor> {
  return { ...ABOUT, stability: 'alpha', create: () => ({ consume }) };
}

/** Names of the checks that fail. */
async function failures(checks: ReturnType<typeof conformance>): Promise<string[]> {
  const results = await Promise.allSettled(checks.map(({ run }) => run()));
  return results.flatMap(({ status }, index) => (status === 'rejected' ? [checks[index]?.name ?? ''] : []));
}

describe('a built-in component passes the conformance suite', () => {
  const attributes: Factory<Processor, never, AttributesProcessorSettings> = {
    ...{ ...ABOUT, stability: 'alpha' as const },
    create: createAttributesProcessor,
  };
  const actions = [{ key: 'tags.team', action: 'insert', value: 'pay' }];
  const debug = {
    ...{ ...ABOUT, stability: 'alpha' as const },
    create: (settings: DebugExporterSettings) => createDebugExporter(settings, { id: 'debug' }, async () => undefined),
  };
  const verbose = { verbosity: 'detailed', sampling_initial: 2, sampling_thereafter: 1 };

  it.each(conformance('processors', attributes, { actions, error_mode: 'propagate' }))('attributes $name', ({ run }) =>
    run(),
  );
  it.each(conformance('exporters', debug, verbose))('debug $name', ({ run }) => run());
});

describe('the conformance suite finds', () => {
  const [first, none, many, stopping] = [
    'starts and stops twice',
    'takes a batch of none',
    'takes a large batch without changing it',
    'stops while it consumes',
  ];

  it.each<[string, Processor['consume'], string[]]>([
    ['a result too few', async ({ events }) => events.slice(1), [many]],
    ['a result too many', async ({ events }) => [...events, ...events.slice(0, 1)], [many]],
    ['a batch that it cannot take', async ({ events }) => [events[0]].map((event) => event ?? fail()), [none, many]],
    [
      'a payload that is not valid',
      async ({ events }) => events.map(() => ({ payload: { ...samplePayload(), app: Object([]) } })),
      [many],
    ],
    [
      'a drop without a code',
      async ({ events }) => events.map(() => ({ kind: 'dropped', as: 'filtered', reason: 'no' })),
      [many],
    ],
    [
      'changes of what it is given',
      async ({ events }) => {
        for (const { payload } of events) payload.message = 'x';
        return events;
      },
      [many],
    ],
  ])('%s', async (_, consume, expected) => {
    const checks = conformance('processors', processorOf(consume));
    const found = await failures(checks);
    expect(found).toEqual(expected);
  });

  it('a batch that it never ends', async () => {
    const never = processorOf(({ events }) =>
      events.length === 0 ? Promise.resolve([]) : new Promise(() => undefined),
    );
    expect(await failures(conformance('processors', never, {}, { answerMs: 1_000 }))).toEqual([many, stopping]);
  });

  it('a component that does not start again, settings that do not match, and a schema that is not one', async () => {
    let starts = 0;
    const once: Factory<object> = {
      ...ABOUT,
      stability: 'alpha',
      create: () => ({ start: async () => void (++starts > 1 && fail()) }),
    };
    expect(await failures(conformance('extensions', once))).toEqual([first]);
    const strict = { ...once, schema: { type: 'object', properties: { a: { type: 'integer' } } }, create: () => ({}) };
    expect(await failures(conformance('extensions', strict, { a: 'x' }))).toEqual([first]);
    expect(await failures(conformance('extensions', { ...strict, schema: { type: 'text' } }))).toEqual([first]);
  });
});

describe('a host in memory', () => {
  it('stores, rejects or refuses what a receiver sends', async () => {
    const host = createHost();
    const events = [{ payload: samplePayload() }, { payload: { ...samplePayload(), app: Object(3) } }];
    expect((await host.consumer.consume({ events })).map(({ kind }) => kind)).toEqual(['stored', 'rejected']);
    host.isRefusing = true;
    expect((await host.consumer.consume({ events })).map(({ kind }) => kind)).toEqual(['refused', 'refused']);
    expect(host.payloads).toEqual([samplePayload()]);
  });

  it('lets everyone call the routes of a component in an Express application', async () => {
    const host = createHost();
    const router = express.Router();
    const rule = { kind: 'token', authenticator: 'bearertokenauth' } as const;
    router.get('/hello', ...host.allow(rule), (_request, response) => void response.json('hello'));
    const server = express().use(router).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://localhost:${port}/hello`);
    expect([response.status, await response.json()]).toEqual([200, 'hello']);
    await new Promise((resolve) => server.close(resolve));
  });
});

function fail(): never {
  throw new Error('it fails');
}
