import fc from 'fast-check';
import { stringify } from 'yaml';
import { hasSettingsType } from '../../config/component-settings.js';
import { ConfigError } from '../../config/config-error.js';
import { loadDefaultConfig } from '../../config/default-config.js';
import { loadConfig } from '../../config/load-config.js';
import type { EventsReceiverSettings, Settings } from '../../generated/settings.js';
import { OPEN_ENDPOINT, OPEN_QUERY } from '../helpers/endpoint-settings.js';
import { DEFAULT_LIMITS } from '../helpers/event-limits.js';

const COMPLETE = `
receivers: { events: }
exporters: { store: }
service: { pipelines: { events: { receivers: [events], exporters: [store] } } }
`;

const DEFAULT_RECEIVER = {
  endpoint: 'localhost:4318',
  defaults: {},
  max_request_body_size: '64MiB',
  max_events_per_request: 100_000,
  allowed_hosts: [],
  cors: { allowed_origins: [], allowed_headers: [], max_age: '2h' },
  idempotency_window: '10m',
  limits: DEFAULT_LIMITS,
  ...OPEN_ENDPOINT,
};
const DEFAULT_STORE = {
  directory: './faultline-data',
  durability: 'fsync',
  checkpoint_interval: '5s',
  retention: { max_age: '720h', max_size: '10GiB' },
  rejected: { max_age: '168h', max_size: '100MiB' },
};

interface Given {
  files?: string[];
  sets?: string[];
  env?: Record<string, string>;
}

/** Loads texts as the files `1.yaml`, `2.yaml`, …. */
function load({ files = [COMPLETE], sets = [], env = {} }: Given): Settings {
  const named = files.map((text, index) => ({ name: `${index + 1}.yaml`, text }));
  return loadConfig({ files: named, sets, env }).settings;
}

function eventsSettings({ receivers }: Pick<Settings, 'receivers'>, id: string): EventsReceiverSettings | undefined {
  const settings = receivers[id];
  return settings !== undefined && hasSettingsType('events', id, settings) ? settings : undefined;
}

function directoryOf({ exporters }: Pick<Settings, 'exporters'>, id: string): string | undefined {
  const settings = exporters[id];
  return hasSettingsType('store', id, settings) ? settings.directory : undefined;
}

/** The problems and warnings of a configuration that is rejected. */
function problemsOf(given: Given): string[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n  ').slice(1);
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('the default configuration', () => {
  it('loads without problems or warnings', () => {
    const { settings, warnings } = loadConfig({ files: [loadDefaultConfig()], sets: [], env: {} });
    expect(warnings).toEqual([]);
    expect(settings.service.pipelines).toEqual({
      events: { receivers: ['events', 'otlp', 'sentry'], processors: ['memory_limiter'], exporters: ['store'] },
    });
  });

  it('sets only the defaults of the schema in its components', () => {
    const { settings } = loadConfig({ files: [loadDefaultConfig()], sets: [], env: {} });
    const bare = load({
      files: [
        'receivers: { events: , otlp: , sentry: }\nprocessors: { memory_limiter: }\nexporters: { store: }\nextensions: { query: , health_check: }\nservice: { extensions: [query, health_check], pipelines: { events: { receivers: [events, otlp, sentry], processors: [memory_limiter], exporters: [store] } } }',
      ],
    });
    expect(settings).toEqual(bare);
    expect(Object.keys(settings.receivers)).toEqual(['events', 'otlp', 'sentry']);
    expect(settings.receivers['events']).toEqual(DEFAULT_RECEIVER);
    expect(settings.exporters).toEqual({ store: DEFAULT_STORE });
    expect(settings.extensions['query']).toEqual({ ...OPEN_QUERY, endpoint: 'localhost:4319' });
    expect(settings.extensions['health_check']).toMatchObject({ endpoint: 'localhost:13133' });
    expect(settings.service.telemetry).toEqual({
      logs: { level: 'info', encoding: 'auto' },
      metrics: { level: 'normal', address: 'localhost:8888', allowed_hosts: [] },
    });
  });

  it('can be changed by --set', () => {
    const sets = ['receivers.events.endpoint=:0', 'exporters.store.directory=/tmp/data'];
    const { settings } = loadConfig({ files: [loadDefaultConfig()], sets, env: {} });
    expect(eventsSettings(settings, 'events')?.endpoint).toBe(':0');
    expect(directoryOf(settings, 'store')).toBe('/tmp/data');
  });
});

it('only the first hundred of a thousand unknown keys are named', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `unknown${index}: 1`).join(', ');
  const problems = problemsOf({ files: [COMPLETE, `receivers: { events: { ${keys} } }`] });
  expect(problems).toHaveLength(101);
  expect(problems[99]).toContain('receivers.events.unknown99: unknown key');
  expect(problems[100]).toBe('and 900 more');
});

describe('several files', () => {
  it('merge maps by key and replace lists and scalars', () => {
    const later = `
receivers: { events: { limits: { max_depth: 5 } }, events/second: { allowed_hosts: [b] } }
service: { pipelines: { events: { receivers: [events/second] } } }
`;
    const earlier = `${COMPLETE.replace('events: }', 'events: { endpoint: localhost:1, limits: { max_tags: 7 } }, events/second: { allowed_hosts: [a, c] } }')}`;
    const { receivers, service } = load({ files: [earlier, later] });
    expect(receivers['events']).toMatchObject({ endpoint: 'localhost:1', limits: { max_tags: 7, max_depth: 5 } });
    expect(eventsSettings({ receivers }, 'events/second')?.allowed_hosts).toEqual(['b']);
    expect(service.pipelines['events']?.receivers).toEqual(['events/second']);
  });

  it('clear a section if a later file has it empty, with a warning', () => {
    const files = [
      { name: 'a.yaml', text: COMPLETE.replace('events: }', 'events: { endpoint: localhost:1 } }') },
      { name: 'b.yaml', text: 'receivers: { events: }' },
    ];
    const { settings, warnings } = loadConfig({ files, sets: [], env: {} });
    expect(settings.receivers).toEqual({ events: DEFAULT_RECEIVER });
    expect(warnings).toEqual(['b.yaml:1:22: receivers.events: is empty and replaces the value at a.yaml:2:22']);
  });

  it('are reported together, in their order, each problem in its own file', () => {
    const problems = problemsOf({
      files: [
        COMPLETE,
        'receivers: { events: { endpoint: 1, max_tag: 1 } }',
        '\nexporters: { store: { durability: no } }',
      ],
      sets: ['service.telemetry.logs.level=loud', 'a=1'],
    });
    expect(problems.map((line) => line.split(': ', 2).join(': '))).toEqual([
      '2.yaml:1:34: receivers.events.endpoint',
      '2.yaml:1:37: receivers.events.max_tag',
      '3.yaml:2:35: exporters.store.durability',
      '--set service.telemetry.logs.level: service.telemetry.logs.level',
      '--set a: a',
    ]);
  });

  it('are all checked for invalid YAML; if one is invalid, for nothing else', () => {
    const problems = problemsOf({ files: ['a: [', 'unknown: 1', 'b: "'] });
    expect(problems.map((line) => line.split(':', 1)[0])).toEqual(['1.yaml', '3.yaml']);
  });

  it('are at least one', () => {
    expect(problemsOf({ files: [] })).toEqual(['--config: at least one config flag must be provided']);
  });
});

describe('--set', () => {
  it('is applied last, in order, with a YAML value', () => {
    const { receivers } = load({
      sets: [
        'receivers.events.limits={max_depth: 3, max_tags: 4}',
        'receivers.events.limits.max_depth=9',
        'receivers.events.allowed_hosts=[a.example]',
      ],
    });
    expect(receivers['events']).toMatchObject({
      limits: { max_depth: 9, max_tags: 4 },
      allowed_hosts: ['a.example'],
    });
  });

  it('accepts a value that is not YAML as text, so that addresses do not need quotes', () => {
    const { receivers } = load({ sets: ['receivers.events.endpoint=[::1]:4318'] });
    expect(eventsSettings({ receivers }, 'events')?.endpoint).toBe('[::1]:4318');
  });

  it('can change components with a slash or, with ::, a dot in their name', () => {
    const { exporters } = load({
      sets: [
        'exporters.store/main.directory=a=b',
        'exporters::store/v1.2::directory=c',
        'service.pipelines.events.exporters=[store, store/main, store/v1.2]',
      ],
    });
    expect(directoryOf({ exporters }, 'store/main')).toBe('a=b');
    expect(directoryOf({ exporters }, 'store/v1.2')).toBe('c');
  });

  it('creates a default instance with an empty value', () => {
    expect(load({ sets: ['exporters.store='] }).exporters).toEqual({ store: DEFAULT_STORE });
  });

  it('replaces variables in its value', () => {
    const sets = [`exporters.store.directory=\${env:DATA}/faultline`, `receivers.events.max_events_per_request=\${N}`];
    const { exporters, receivers } = load({ sets, env: { DATA: '/data', N: '5' } });
    expect(directoryOf({ exporters }, 'store')).toBe('/data/faultline');
    expect(eventsSettings({ receivers }, 'events')?.max_events_per_request).toBe(5);
  });

  it.each(['endpoint', '=x', 'a..b=c', 'a.=c', '::=c', '', `${'a.'.repeat(100)}a=1`])(
    'rejects %j, which is not a dotted key with a value',
    (option) => {
      const [problem] = problemsOf({ sets: [option] });
      expect(problem).toContain('expected a dotted key and a value');
    },
  );

  it('is the source of its problems, including invalid references', () => {
    const sets = ['receivers.events.endpoint=localhost', `exporters.store.directory=\${env:1}`];
    expect(problemsOf({ sets })).toEqual([
      expect.stringMatching(/^--set receivers\.events\.endpoint: receivers\.events\.endpoint: expected an endpoint/),
      expect.stringMatching(
        /^--set exporters\.store\.directory: exporters\.store\.directory: environment variable "1"/,
      ),
    ]);
  });

  it('does not repeat its value, which may be a secret', () => {
    const token = 'extensions.bearertokenauth.token';
    const sets = [`${token}=hunter2`, `${token}n=hunter2`, `${token}:hunter2`, `${token} hunter2`, 'a..token=hunter2'];
    const problems = problemsOf({ sets });
    expect(problems.map((line) => line.split(': ', 1)[0]).toSorted()).toEqual(
      [token, token, token, `${token}n`, 'a..token'].map((key) => `--set ${key}`).toSorted(),
    );
    expect(problems.join('\n')).not.toContain('hunter');
  });

  it('cannot change a prototype', () => {
    const sets = ['__proto__.polluted=1', 'receivers.events.__proto__.polluted=1', 'constructor.prototype.polluted=1'];
    expect(problemsOf({ sets })).toHaveLength(3);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('environment variables', () => {
  const receiver = (text: string, env: Record<string, string>) =>
    eventsSettings(load({ files: [COMPLETE.replace('events: }', `events: ${text} }`)], env }), 'events');
  const block = (key: string, env: Record<string, string>) =>
    eventsSettings(load({ files: [COMPLETE, `receivers:\n  events:\n    ${key}\n`], env }), 'events');

  it('become numbers, lists and maps if the schema expects them', () => {
    const env = { N: '0x10', LIST: '[a.example]', MAP: '{max_depth: 2}' };
    expect(block(`max_events_per_request: \${env:N}`, env)?.max_events_per_request).toBe(16);
    expect(block(`allowed_hosts: \${LIST}`, env)?.allowed_hosts).toEqual(['a.example']);
    expect(block(`limits: \${LIMITS:-\${env:MAP}}`, env)?.limits.max_depth).toBe(2);
  });

  it('keep their exact text if the schema expects a string', () => {
    expect(block(`defaults: { app: x }\n    max_request_body_size: \${env:N}`, { N: '0123' })).toMatchObject({
      max_request_body_size: '0123',
    });
    const files = [COMPLETE, `receivers:\n  events:\n    defaults:\n      app: \${env:A}\n      env: \${env:B}\n`];
    const { receivers } = load({ files, env: { A: '0123', B: '{not: "yaml' } });
    expect(eventsSettings({ receivers }, 'events')?.defaults).toEqual({ app: '0123', env: '{not: "yaml' });
  });

  it('are text in other text and in quotes', () => {
    const env = { PORT: '4318', APP: '7' };
    expect(receiver(`{ endpoint: "localhost:\${env:PORT}" }`, env)?.endpoint).toBe('localhost:4318');
    expect(receiver(`{ defaults: { app: "\${env:APP}" } }`, env)?.defaults.app).toBe('7');
  });

  it('are not searched for references', () => {
    expect(block(`defaults: { app: "\${env:A}" }`, { A: `\${env:B}`, B: 'secret' })?.defaults.app).toBe(`\${env:B}`);
    expect(block(`limits: \${env:A}`, { A: `{max_depth: 4} # \${env:` })?.limits.max_depth).toBe(4);
  });

  it('use the default if they are not set, but not if they are empty', () => {
    const text = `defaults: { app: "\${env:A:-shop}", env: "x\${env:B:-y}" }`;
    expect(block(text, { B: '' })?.defaults).toEqual({ app: 'shop', env: 'x' });
  });

  it('are empty, with a warning, if they are not set and have no default', () => {
    const files = [{ name: 'a.yaml', text: `${COMPLETE}extensions: { query: }\n` }];
    const sets = [`receivers.events.defaults.app=a\${NOWHERE}`];
    const { settings, warnings } = loadConfig({ files, sets, env: {} });
    expect(eventsSettings(settings, 'events')?.defaults.app).toBe('a');
    expect(warnings[0]).toBe(
      `--set receivers.events.defaults.app: receivers.events.defaults.app: Configuration references unset environment variable "NOWHERE"`,
    );
  });

  it('that are not set are reported with the error, because they are often its cause', () => {
    const problems = problemsOf({ files: [COMPLETE, `receivers:\n  events:\n    endpoint: \${env:HOST}\n`] });
    expect(problems).toEqual([
      expect.stringContaining('2.yaml:3:15: receivers.events.endpoint: expected an endpoint'),
      expect.stringContaining('warning: 2.yaml:3:15: receivers.events.endpoint: Configuration references unset'),
    ]);
  });

  it('do not include inherited properties of objects', () => {
    expect(block(`defaults: { app: "\${env:constructor:-own}" }`, {})?.defaults.app).toBe('own');
  });

  it('can be escaped with $$; a bare $NAME is text', () => {
    const text = `defaults: { app: "$$\${env:A}$$", service: "$\${env:A}", env: "$A" }`;
    expect(block(text, { A: 'x' })?.defaults).toEqual({ app: '$x$', service: `\${env:A}`, env: '$A' });
  });
});

describe('a malicious configuration', () => {
  it.each([
    ['ten million characters', `a: ${'x'.repeat(10_000_000)}`, 'longer than 256 KiB'],
    ['ten million lines', '\n'.repeat(10_000_000), 'longer than 256 KiB'],
    ['deep lists', '['.repeat(20_000), 'nested more than 64 levels deep'],
    ['deep block lists', '- '.repeat(20_000), 'nested more than 64 levels deep'],
    ['deep maps', '{a: '.repeat(20_000), 'nested more than 64 levels deep'],
    ['deep references', `a: "${'${'.repeat(50_000)}"`, 'references are nested more than 16 levels deep'],
    [
      'thousands of keys',
      Array.from({ length: 10_001 }, (_, n) => `k${n}: 1`).join('\n'),
      'has more than 10000 values',
    ],
    ['a lone surrogate', 'a: \ud800', 'the character U+D800 is not allowed in YAML'],
  ])('is rejected with a message: %s', (_, text, sentence) => {
    expect(problemsOf({ files: [text] }).join('\n')).toContain(sentence);
  });

  it('cannot put terminal escapes into the message', () => {
    const text = 'receivers: { "\\e[31mred": , events: { endpoint: "\\e]0;title\\a" } }';
    const files = [{ name: 'a\u001b[2J.yaml', text }];
    expect(() => loadConfig({ files, sets: ['\u001b[2J'], env: {} })).toThrow(
      /^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*$/,
    );
  });
});

describe('loadConfig returns settings or throws a ConfigError', () => {
  const env = { X: '[a, {b: c}]', Y: '', Z: '&a [*a]' };
  const expectOrder = (text: string, sets: string[] = []) => {
    try {
      loadConfig({ files: [{ name: 'a.yaml', text }], sets, env });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.problems.length).toBeGreaterThan(0);
      const lines = text.split('\n').length;
      for (const { source, line, message } of error.problems) {
        expect(message).not.toBe('');
        if (source === 'a.yaml') expect(line).toBeLessThanOrEqual(lines);
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  };

  it('for any string', () => {
    const codePoint = fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0x10ffff }));
    const text = fc.array(codePoint, { maxLength: 200 }).map((points) => String.fromCodePoint(...points));
    fc.assert(fc.property(text, (value) => expectOrder(value)));
  });

  it('for any sequence of YAML tokens', () => {
    // biome-ignore format: one token per line is long.
    const pieces = [
      'receivers', 'events', 'service', ':', ': ', '- ', '\n', '\n  ', ' ', '[', ']', '{', '}', ', ', '&a ', '*a', '"', "'", '|', '>',
      `\${env:X}`, `\${Y}`, `\${env:Z}`, `\${`, '$$', '#', '<<: ', '? ', '---\n', '...\n', '%YAML 1.1\n', '!!str ', '!x ', '1', '~', '\t',
      '\r\n', '__proto__',
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(fc.property(text, (value) => expectOrder(value)));
  });

  it('for any value at any position of a complete configuration', () => {
    const keys = fc.constantFrom(
      'receivers',
      'events',
      'service',
      'pipelines',
      'endpoint',
      'limits',
      'exporters',
      'store',
      '__proto__',
      'x/',
    );
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(`\${env:X}`, `\${env:Z}`, `\${file:a}`, `\${`));
    const edit = fc.tuple(fc.array(keys, { minLength: 1, maxLength: 5 }), value);
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), fc.jsonValue(), (edits, root) => {
        const sets = edits.map(([path, set]) => `${path.join('::')}=${JSON.stringify(set)}`);
        expectOrder(COMPLETE, sets);
        expectOrder(stringify({ receivers: root, exporters: root, service: { pipelines: { events: root } } }), sets);
      }),
    );
  });

  it('for the default configuration with text removed or inserted', () => {
    const { text } = loadDefaultConfig();
    const at = fc.nat({ max: text.length });
    fc.assert(
      fc.property(at, fc.nat({ max: 40 }), fc.string({ maxLength: 5 }), (begin, length, inserted) => {
        expectOrder(text.slice(0, begin) + inserted + text.slice(begin + length));
      }),
    );
  });
});
