import { readdirSync, readFileSync } from 'node:fs';
import { ConfigError, formatProblem } from '../../config/config-error.js';
import { loadConfig } from '../../config/load-config.js';
import type { ReadReferencedFile } from '../../config/yaml/substitute.js';

const FIXTURES = new URL('../fixtures/config/', import.meta.url);

/** Variables that the fixtures use. */
const ENV = {
  HOST: '127.0.0.1',
  PORT: '4318',
  COUNT: '4096',
  DIGITS: '0123',
  BRACKET: '[not yaml',
  HOSTS: '[a.example, b.example]',
  EMPTY: '',
  LIMITS: '{ max_depth: 8 }',
  FOLDER: 'parts',
};

/** Files that the fixtures use. */
const FILES: Readonly<Record<string, string>> = {
  host: 'localhost\n',
  size: '64MiB\n',
  'size.txt': '1MiB',
  count: '4096\r\n',
  empty: '',
  token: '0123456789abcdef\n',
  dollar: `pa$$word \${env:PORT} # no comment\n`,
  'parts/limits.yaml': 'max_depth: 8\nmax_tags: 5\n',
  'pipelines.yaml': '# shared\nevents:\n  receivers: [events]\n  exporters: [store]\n',
  'mistaken-receivers.yaml': 'events:\n  endpont: localhost:4318\n  max_events_per_request: 0\n',
  'broken.yaml': 'store:\n  directory: [a\n',
};
const UNREADABLE: Readonly<Record<string, string>> = {
  absent: 'cannot be read: no such file (ENOENT)',
  folder: 'cannot be read: it is a directory (EISDIR)',
  denied: 'cannot be read: permission denied (EACCES)',
};

const readFile: ReadReferencedFile = (path) => {
  const text = FILES[path];
  return text === undefined ? { fault: UNREADABLE[path] ?? 'is unknown to the test' } : { text };
};

/** The problems and warnings of a file, one per line, as in its golden `.txt`. */
function messagesOf(name: string): string {
  const text = readFileSync(new URL(`${name}.yaml`, FIXTURES), 'utf8');
  const { problems, warnings } = load(name, text);
  const lines = [...problems, ...warnings.map((warning) => `warning: ${warning}`)];
  return lines.map((line) => `${line}\n`).join('');
}

function load(name: string, text: string): { problems: string[]; warnings: readonly string[] } {
  try {
    const { warnings } = loadConfig({ files: [{ name: `${name}.yaml`, text }], sets: [], env: ENV, readFile });
    return { problems: [], warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems.map(formatProblem), warnings: error.warnings };
  }
}

/** Sentences of the OpenTelemetry Collector, with a fixture that gives each. */
const COLLECTOR_SENTENCES: readonly (readonly [sentence: string, fixture: string])[] = [
  ['empty configuration file', 'empty'],
  ['empty configuration file', 'only-a-document-mark'],
  ['no receiver configuration specified in config', 'no-receivers'],
  ['no exporter configuration specified in config', 'nothing-configured'],
  ['service::pipelines: service must have at least one pipeline', 'no-pipeline'],
  ['service::pipelines::events: must have at least one receiver', 'no-ends'],
  ['must have at least one exporter', 'no-ends'],
  ['references receiver "events" multiple times', 'listed-twice'],
  ['references processor "redaction" multiple times', 'processor-listed-twice'],
  ['references exporter "store" multiple times', 'listed-twice'],
  ['references extension "query" multiple times', 'listed-twice'],
  ['service::pipelines::events: references receiver "nop" which is not configured', 'dangling-references'],
  ['references processor "batch" which is not configured', 'dangling-references'],
  ['references exporter "store" which is not configured', 'dangling-references'],
  ['service::extensions: references extension "nop/2" which is not configured', 'dangling-references'],
  ['unknown type: "evnts" for id: "evnts/web" (valid values: [', 'unknown-types'],
  ['unknown key "htttp" in receivers.otlp.protocols', 'protocol-htttp'],
  ['unknown key "unknown" in service.telemetry', 'protocol-htttp'],
  ['in "/x" id: the part before / should not be empty', 'processors'],
  ['id: the part after / should not be empty', 'component-ids'],
  ['id must not be empty', 'component-ids'],
  ['invalid character(s) in type', 'component-ids'],
  ['unknown pipeline signal: ', 'unknown-signals'],
  ['environment variable "1A" has invalid name: must match regex ^[a-zA-Z_][a-zA-Z0-9_]*$', 'substitution-mistakes'],
  ['must specify at least one protocol when using the OTLP receiver', 'otlp-without-protocols'],
  ['extensions::bearertokenauth: no bearer token provided', 'bearer-without-a-token'],
  ['receivers::events: references authenticator "bearertokenauth/ingst" which is not configured', 'authenticators'],
  ['warning: unset-variables.yaml:', 'unset-variables'],
  ['Configuration references unset environment variable ', 'unset-variables'],
  ['scheme "https" is not supported for uri', 'files-that-cannot-be-read'],
];

describe('every configuration under test/fixtures/config', () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));

  it.each(names)('%s.yaml gives the messages of its golden file, each once', (name) => {
    const messages = messagesOf(name);
    expect(messages).toBe(readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8'));
    const lines = messages.split('\n').slice(0, -1);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it.each(COLLECTOR_SENTENCES)('"%s" is among the messages of %s.yaml', (sentence, fixture) => {
    expect(messagesOf(fixture)).toContain(sentence);
  });

  it('does not repeat secrets in messages', () => {
    expect(messagesOf('short-secrets')).not.toMatch(/hunter|1234567890/);
    expect(messagesOf('exporters-mistyped')).not.toContain('T000');
  });

  it.each(['secrets-in-the-wrong-form', 'secret-with-a-tag', 'secret-that-begins-as-a-block'])(
    'does not repeat a secret of the wrong form, in %s.yaml',
    (name) => {
      expect(messagesOf(name)).not.toBe('');
      expect(messagesOf(name)).not.toContain('hunter');
    },
  );

  it('expands keys that contain ::', () => {
    const text = readFileSync(new URL('keys-of-several-parts.yaml', FIXTURES), 'utf8');
    const right = text
      .replace(/^.*(?:endpont|"service::").*$/gm, '')
      .replace('maybe', 'os')
      .replace('1d', '24h');
    const more = 'exporters::store::retention::max_size: 1GiB';
    const files = [right, more].map((one, nth) => ({ name: `${nth}.yaml`, text: one }));
    const { settings, warnings } = loadConfig({ files, sets: [], env: {} });
    expect(warnings).toEqual([]);
    expect(settings).toMatchObject({
      receivers: { events: { endpoint: 'localhost:0' } },
      exporters: { store: { directory: 'data', durability: 'os', retention: { max_age: '24h', max_size: '1GiB' } } },
      service: { pipelines: { events: { receivers: ['events'] } } },
    });
  });
});
