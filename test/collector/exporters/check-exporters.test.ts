import { checkExportersTogether } from '../../../collector/exporters/check-exporters.js';
import type { PipelineSettings } from '../../../generated/settings.js';
import { settingsFor } from '../running-service.js';

function check(pipelines: Readonly<Record<string, readonly string[]>>) {
  const settings = settingsFor('/nowhere');
  const line: Record<string, PipelineSettings> = {};
  for (const [name, exporters] of Object.entries(pipelines)) {
    line[name] = { receivers: ['events'], processors: [], exporters: [...exporters] };
  }
  return checkExportersTogether({ ...settings, service: { ...settings.service, pipelines: line } });
}

describe('the exporters of pipelines', () => {
  it('may be a store alone, or a store and exporters that send, in every pipeline of that store', () => {
    expect(check({ events: ['store'] })).toEqual([]);
    expect(check({ events: ['store', 'otlp_http', 'debug'] })).toEqual([]);
    expect(check({ events: ['store', 'otlp_http'], logs: ['store', 'otlp_http'] })).toEqual([]);
    expect(check({ events: ['store', 'otlp_http'], logs: ['store/other'] })).toEqual([]);
  });

  it('need a store if they send', () => {
    expect(check({ events: ['otlp_http', 'debug'] })).toEqual([
      {
        path: ['service', 'pipelines', 'events', 'exporters'],
        message: 'otlp_http and debug can only send events from a store: add the exporter store to this pipeline',
      },
    ]);
  });

  it('need one store to follow', () => {
    expect(check({ events: ['store', 'store/b', 'debug'] })).toEqual([
      expect.objectContaining({ message: expect.stringContaining('exactly one store, not store and store/b') }),
    ]);
    const shared = check({ events: ['store', 'debug'], logs: ['store/b', 'debug'] });
    expect(shared.map(({ path }) => path[2])).toEqual(['events', 'logs']);
    expect(shared[0]?.message).toContain('for example debug/logs');
  });

  it('do not send events of another pipeline', () => {
    const [fault, ...others] = check({ events: ['store', 'otlp_http'], secret: ['store'] });
    expect(others).toEqual([]);
    expect(fault).toEqual({
      path: ['service', 'pipelines', 'events', 'exporters'],
      message: expect.stringMatching(/^otlp_http would also send what pipeline secret stores in store, /),
    });
  });
});
