// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references have this form.
import { loadConfig } from '../../../config/load-config.js';
import type { ReadReferencedFile } from '../../../config/yaml/substitute.js';

const readFile: ReadReferencedFile = (path) => {
  const text = {
    count: '4096\n',
    text: 'one line\n',
    'two lines': 'a\nb\n',
    'a map': 'max_depth: 8\n',
    'no yaml': '[not yaml\n',
    references: '${env:PORT} $$\n',
  }[path];
  return text === undefined ? { fault: 'does not exist' } : { text };
};

/** The settings of receiver `events` with this value for a key. */
function events(key: string, value: string, sets: readonly string[] = []): Record<string, unknown> {
  const text = `
receivers:
  events:
    ${key}: ${value}
exporters: { store: }
service: { pipelines: { events: { receivers: [events], exporters: [store] } } }
`;
  const { settings } = loadConfig({
    files: [{ name: 'test.yaml', text }],
    sets,
    env: { NAME: 'count', PORT: '1' },
    readFile,
  });
  return { ...settings.receivers['events'] };
}

describe('a file reference', () => {
  it('is YAML if it is the whole plain value, otherwise text without its last line end', () => {
    expect(events('max_events_per_request', '${file:count}')).toMatchObject({ max_events_per_request: 4096 });
    expect(events('limits', '${file:a map}')).toMatchObject({ limits: { max_depth: 8 } });
    expect(events('defaults', '{ app: "${file:count}" }')).toMatchObject({ defaults: { app: '4096' } });
    expect(events('defaults', '{ app: "a ${file:text}!" }')).toMatchObject({ defaults: { app: 'a one line!' } });
    expect(events('defaults', '{ app: "${file:two lines}" }')).toMatchObject({ defaults: { app: 'a\nb' } });
    expect(events('defaults', '{ app: "${file:no yaml}" }')).toMatchObject({ defaults: { app: '[not yaml' } });
  });

  it('can have a variable in its path; the file is not searched for references', () => {
    expect(events('max_events_per_request', '${file:${NAME}}')).toMatchObject({ max_events_per_request: 4096 });
    expect(events('defaults', '{ app: "${file:references}" }')).toMatchObject({ defaults: { app: '${env:PORT} $$' } });
  });

  it('works in --set', () => {
    const sets = ['receivers.events.max_events_per_request=${file:count}'];
    expect(events('defaults', '{}', sets)).toMatchObject({ max_events_per_request: 4096 });
  });

  it('is rejected without a file reader', () => {
    const files = [{ name: 'test.yaml', text: 'receivers: ${file:count}' }];
    expect(() => loadConfig({ files, sets: [], env: {} })).toThrow(
      'test.yaml:1:12: receivers: scheme "file" is not supported here, for uri "file:count"',
    );
  });
});

describe('a yaml reference', () => {
  it('is the text after yaml: as YAML', () => {
    expect(events('max_events_per_request', '${yaml:5}')).toMatchObject({ max_events_per_request: 5 });
    expect(events('allowed_hosts', '${yaml:[a.example, b.example]}')).toMatchObject({
      allowed_hosts: ['a.example', 'b.example'],
    });
  });
});
