// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that.
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
  return text === undefined ? { fault: 'is not there' } : { text };
};

/** The settings of receiver `events` when one of its keys has this value. */
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

describe('a file in place of a value', () => {
  it('is YAML where a plain reference is the whole value, and text without its last line end elsewhere', () => {
    expect(events('max_events_per_request', '${file:count}')).toMatchObject({ max_events_per_request: 4096 });
    expect(events('limits', '${file:a map}')).toMatchObject({ limits: { max_depth: 8 } });
    expect(events('defaults', '{ app: "${file:count}" }')).toMatchObject({ defaults: { app: '4096' } });
    expect(events('defaults', '{ app: "a ${file:text}!" }')).toMatchObject({ defaults: { app: 'a one line!' } });
    expect(events('defaults', '{ app: "${file:two lines}" }')).toMatchObject({ defaults: { app: 'a\nb' } });
    expect(events('defaults', '{ app: "${file:no yaml}" }')).toMatchObject({ defaults: { app: '[not yaml' } });
  });

  it('may have a variable in its path, and is not searched for references itself', () => {
    expect(events('max_events_per_request', '${file:${NAME}}')).toMatchObject({ max_events_per_request: 4096 });
    expect(events('defaults', '{ app: "${file:references}" }')).toMatchObject({ defaults: { app: '${env:PORT} $$' } });
  });

  it('counts in --set too', () => {
    const sets = ['receivers.events.max_events_per_request=${file:count}'];
    expect(events('defaults', '{}', sets)).toMatchObject({ max_events_per_request: 4096 });
  });

  it('is refused where nobody can read files', () => {
    const files = [{ name: 'test.yaml', text: 'receivers: ${file:count}' }];
    expect(() => loadConfig({ files, sets: [], env: {} })).toThrow(
      'test.yaml:1:12: receivers: scheme "file" is not supported here, for uri "file:count"',
    );
  });
});

describe('YAML in place of a value', () => {
  it('is what stands behind yaml:', () => {
    expect(events('max_events_per_request', '${yaml:5}')).toMatchObject({ max_events_per_request: 5 });
    expect(events('allowed_hosts', '${yaml:[a.example, b.example]}')).toMatchObject({
      allowed_hosts: ['a.example', 'b.example'],
    });
  });
});
