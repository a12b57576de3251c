import { parse } from 'yaml';
import { runComponents } from '../../../collector/commands/components.js';

async function printed(options: { settings?: boolean; format?: 'yaml' | 'json' | 'markdown' } = {}): Promise<string> {
  let text = '';
  const stdout = {
    write: (part: string) => {
      text += part;
    },
  };
  const given = { version: '1.2.3', settings: false, format: 'yaml', config: [], set: [], env: {} } as const;
  expect(await runComponents({ ...given, ...options, stdout, stderr: stdout })).toBe(0);
  return text;
}

describe('faultline components', () => {
  it('lists every component with its stability, as the Collector does', async () => {
    const listed = parse(await printed());
    expect(listed.buildinfo).toEqual({ command: 'faultline', description: expect.any(String), version: '1.2.3' });
    expect(listed.receivers).toContainEqual({ name: 'otlp', stability: { logs: 'Beta', traces: 'Beta' } });
    expect(listed.exporters).toContainEqual({ name: 'store', stability: { events: 'Stable' } });
    expect(listed.extensions).toContainEqual({ name: 'query', stability: { extension: 'Beta' } });
    for (const section of ['receivers', 'processors', 'exporters', 'extensions']) {
      for (const component of listed[section]) expect(Object.keys(component.stability)).not.toEqual([]);
    }
  });

  it('lists every setting with type, default and description on request, shared settings too', async () => {
    const { receivers, extensions } = parse(await printed({ settings: true }));
    const [events] = receivers;
    const settingOf = (key: string) => events.settings.find((setting: { key: string }) => setting.key === key);
    expect(settingOf('endpoint')).toMatchObject({ type: 'endpoint', default: 'localhost:4318' });
    expect(settingOf('tls.cert_file')).toMatchObject({ type: 'path', required: true });
    expect(settingOf('connections.read_timeout')).toMatchObject({ type: 'duration', bounds: '1s to 24h' });
    const tokens = extensions.find(({ name }: { name: string }) => name === 'bearertokenauth').settings;
    expect(tokens).toContainEqual(expect.objectContaining({ key: 'token', secret: true }));
  });

  it('prints the same as JSON', async () => {
    expect(JSON.parse(await printed({ settings: true, format: 'json' }))).toEqual(
      parse(await printed({ settings: true })),
    );
  });
});
