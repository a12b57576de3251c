import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../../../collector/commands/load-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { openRawConnection, rawPost } from '../raw-connection.js';
import { CollectHere, stopCollectors, WrittenText } from './collect-here.js';

afterAll(async () => {
  await stopCollectors();
  await removeTemporaryFolders();
});

async function onFreePorts(...sets: string[]): Promise<string[]> {
  return [
    'service.pipelines.events.receivers=[events]',
    'receivers.events.endpoint=127.0.0.1:0',
    'extensions.query.endpoint=localhost:0',
    `exporters.store.directory=${await temporaryFolder()}`,
    ...sets,
  ];
}

describe('faultline collect', () => {
  it('prints an address that accepts events, its data folder, and the address to browse', async () => {
    const sets = await onFreePorts();
    const running = new CollectHere({ set: sets });
    const url = await running.printed(/faultline send --url (\S+)$/m);
    const directory = sets.find((set) => set.startsWith('exporters.store.directory='))?.split('=')[1];
    expect(running.stdout.text).toContain(`faultline 1.2.3 is collecting into ${directory}`);
    const query = await running.printed(/faultline browse --url (\S+)$/m);
    expect((await post(`${url}/v1/events`, JSON.stringify(serverPayload()))).body).toMatchObject({ accepted: 1 });
    expect(await (await fetch(`${query}/api/v1/issues`)).json()).toMatchObject({ total: 1 });
    expect(await running.stop()).toBe(0);
    expect(running.stdout.text.endsWith('\n')).toBe(true);
  });

  it('loads its files, options and environment', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'faultline.yaml');
    await writeFile(
      file,
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the loader replaces it
        'receivers: { events: { endpoint: "127.0.0.1:0", defaults: { app: "${env:APP}" } } }',
        `exporters: { store: { directory: ${folder}/data } }`,
        'service: { pipelines: { events: { receivers: [events], exporters: [store] } } }',
      ].join('\n'),
    );
    const running = new CollectHere({
      config: [file],
      set: ['receivers.events.defaults.env=staging'],
      env: { APP: 'shop' },
    });
    const url = await running.eventsUrl();
    expect(running.stdout.text).toContain(`faultline browse --data ${folder}/data`);
    const { app: _, env: __, ...others } = serverPayload();
    const { body } = await post(url, JSON.stringify(others));
    expect(body.events?.[0]?.raw.path).toContain('/raw/staging/api/shop/');
    running.signals.emit('SIGINT');
    expect(await running.finished).toBe(0);
  });

  it('drains at the first signal and exits at once at the second', async () => {
    const running = new CollectHere({ set: await onFreePorts() });
    const url = await running.eventsUrl();
    const connection = await openRawConnection(Number(new URL(url).port));
    connection.write(rawPost('{}').slice(0, -1));
    await post(url, '{}');
    running.signals.emit('SIGTERM');
    running.signals.emit('SIGTERM');
    expect(running.exits).toEqual([143]);
    running.signals.emit('SIGINT');
    expect(running.exits).toEqual([143, 130]);
    connection.socket.destroy();
    expect(await running.finished).toBe(0);
    // The process may still run for a moment.
    running.signals.emit('SIGINT');
    expect(running.exits.at(-1)).toBe(130);
  });

  it('reloads its files at SIGHUP, logs the result, and lists every problem of a bad file', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'faultline.yaml');
    const configured = (events: string, service = '', level = 'info') =>
      writeFile(
        file,
        [
          `receivers: { events: { endpoint: "127.0.0.1:0", ${events} } }`,
          `exporters: { store: { directory: ${folder}/data } }`,
          `service: { telemetry: { logs: { level: ${level} }, metrics: { address: "127.0.0.2:0" } }, pipelines: { events: { receivers: [events], exporters: [store] } }${service} }`,
        ].join('\n'),
      );
    await configured('max_events_per_request: 1');
    const running = new CollectHere({ config: [file] });
    const url = await running.eventsUrl();
    const metricsUrl = await running.printed(/metrics +(http:\S+)/);
    const two = JSON.stringify([serverPayload(), serverPayload()]);
    expect((await post(url, two)).status).toBe(413);
    const logged = () =>
      running.stderr.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const lineOf = (pattern: RegExp) =>
      waitFor(`${pattern}`, () => logged().find(({ msg }) => pattern.test(String(msg))));

    await configured('max_event_per_request: 2', ', extension: [query]');
    running.signals.emit('SIGHUP');
    expect(await lineOf(/configuration not reloaded, still using the previous one/)).toMatchObject({ problems: 2 });
    expect(await lineOf(/max_event_per_request.*max_events_per_request/)).toMatchObject({ level: 50 });
    await lineOf(/service\.extension\b/);
    expect((await post(url, two)).status).toBe(413);

    await configured('max_events_per_request: 2');
    running.signals.emit('SIGHUP');
    expect(await lineOf(/^configuration reloaded$/)).toMatchObject({ changed: true });
    expect((await post(url, two)).status).toBe(200);
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics.match(/faultline_config_reloads_total\{.*/g)?.toSorted()).toEqual([
      'faultline_config_reloads_total{outcome="refused"} 1',
      'faultline_config_reloads_total{outcome="success"} 1',
    ]);

    await configured('max_events_per_request: 2', '', 'error');
    running.signals.emit('SIGHUP');
    await waitFor('the second reload', async () =>
      (await (await fetch(metricsUrl)).text()).includes('{outcome="success"} 2'),
    );
    const quietFrom = logged().length;
    await configured('max_events_per_request: -1');
    running.signals.emit('SIGHUP');
    await waitFor('the problems', () => logged().length >= quietFrom + 2);
    // A stopping collector ignores SIGHUP.
    running.signals.emit('SIGTERM');
    running.signals.emit('SIGHUP');
    expect(await running.finished).toBe(0);
    expect(running.exits).toEqual([]);
    // Components that were not replaced use the new log level too.
    const quiet = logged().slice(quietFrom);
    expect(quiet.map(({ level }) => level)).toEqual([50, 50]);
  });

  it('lists every problem on the machine that prevents a reload', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'faultline.yaml');
    const lines = [
      'receivers: { events: { endpoint: "127.0.0.1:0" } }',
      `exporters: { store: { directory: ${folder}/data } }`,
      'service: { telemetry: { metrics: { level: none } }, pipelines: { events: { receivers: [events], exporters: [store] } } }',
    ];
    await writeFile(file, lines.join('\n'));
    const running = new CollectHere({ config: [file] });
    const url = await running.eventsUrl();
    await writeFile(
      file,
      [
        `receivers: { events: { endpoint: "127.0.0.1:0", tls: { cert_file: ${folder}/no.crt, key_file: ${folder}/no.key } } }`,
        `exporters: { store: { directory: ${file} } }`,
        lines[2],
      ].join('\n'),
    );
    running.signals.emit('SIGHUP');
    const refusal = /.*configuration not reloaded, still using the previous one.*/;
    const line = await waitFor('the refusal', () => refusal.exec(running.stderr.text)?.[0]);
    expect(JSON.parse(line)).toMatchObject({ level: 50, problems: 3 });
    const errors = running.stderr.text.split('\n').filter((one) => one.includes('"level":50'));
    expect(errors.map((one) => (JSON.parse(one) as { msg: string }).msg)).toEqual([
      expect.stringContaining(`${file}:1:67: receivers.events.tls.cert_file: ${folder}/no.crt cannot be read`),
      expect.stringContaining('receivers.events.tls.key_file: '),
      expect.stringContaining(`${file}:2:34: exporters.store.directory: ${file} is not a folder`),
      expect.stringContaining('still using the previous one'),
    ]);
    expect(running.stderr.text).not.toContain('"stopped"');
    expect((await post(url, JSON.stringify(serverPayload()))).status).toBe(200);
    expect(await running.stop()).toBe(0);
  });

  it('reloads the embedded default, which changes nothing', async () => {
    const running = new CollectHere({ set: await onFreePorts('service.telemetry.metrics.level=none') });
    await running.eventsUrl();
    running.signals.emit('SIGHUP');
    running.signals.emit('SIGHUP');
    const line = await waitFor('the reload', () => /.*"configuration reloaded".*/.exec(running.stderr.text)?.[0]);
    expect(JSON.parse(line)).toMatchObject({ changed: false });
    expect(await running.stop()).toBe(0);
  });

  it('stops at SIGHUP when its terminal was closed', async () => {
    const running = new CollectHere({ set: await onFreePorts(), isTerminalClosed: () => true });
    await running.eventsUrl();
    running.signals.emit('SIGHUP');
    expect(await running.finished).toBe(0);
    running.signals.emit('SIGHUP');
    expect(running.exits).toEqual([129]);
  });

  it('stops cleanly at a signal while it starts', async () => {
    const running = new CollectHere({ set: await onFreePorts() });
    await waitFor('the listeners', () => running.signals.listenerCount('SIGINT') === 1);
    running.signals.emit('SIGINT');
    expect(await running.finished).toBe(0);
  });

  it('exits with 1 and prints every problem with its position when the configuration is invalid', async () => {
    const file = join(await temporaryFolder(), 'bad.yaml');
    await writeFile(
      file,
      'receivers: { events: { endpont: "localhost:1" } }\nservice: { pipelines: { events: { receivers: [event], exporters: [store] } } }\n',
    );
    const { finished, stderr, stdout } = new CollectHere({
      config: [file],
      set: ['service.telemetry.logs.level=loud'],
    });
    expect(await finished).toBe(1);
    expect(stdout.text).toBe('');
    const lines = stderr.text.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.filter((line) => line.startsWith(`${file}:1:`) && line.includes('endpont'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith(`${file}:2:`)).length).toBeGreaterThanOrEqual(1);
    expect(lines.filter((line) => line.includes('loud'))).toHaveLength(1);
  });

  it('exits with 1 and the fault when a component does not start', async () => {
    const sets = await onFreePorts();
    const first = new CollectHere({ set: sets });
    const url = await first.eventsUrl();
    const { port } = new URL(url);
    const taken = [`receivers.events.endpoint=127.0.0.1:${port}`, 'service.telemetry.logs.level=silent'];
    const second = new CollectHere({ set: await onFreePorts(...taken) });
    expect(await second.finished).toBe(1);
    expect(second.stderr.text).toContain(`receiver events did not start: cannot listen on 127.0.0.1:${port}`);
    expect(second.stdout.text).toBe('');
    expect(await first.stop()).toBe(0);
  });
});

describe('faultline collect --data --port', () => {
  const labelsOf = (text: string) => [...text.matchAll(/^ {2}(\S.*?) {2,}\S*?:\d+\S*$/gm)].map(([, label]) => label);

  it('puts all endpoints beside the port, without health and metrics', async () => {
    const sources = { config: [], set: [], env: {}, directory: '/srv/data', port: 5_000 };
    const { receivers, exporters, extensions, service } =
      (await loadSettings(sources, new WrittenText()))?.settings ?? {};
    expect({ receivers, exporters, extensions, service }).toMatchObject({
      receivers: {
        events: { endpoint: 'localhost:5000' },
        otlp: { protocols: { http: { endpoint: 'localhost:5000' }, grpc: { endpoint: 'localhost:4999' } } },
        sentry: { endpoint: 'localhost:5000' },
      },
      exporters: { store: { directory: '/srv/data' } },
      extensions: { query: { endpoint: 'localhost:5001' } },
      service: { extensions: ['query'], telemetry: { metrics: { level: 'none' } } },
    });
  });

  it('takes free ports for port 0, and keeps the events in the folder', async () => {
    const directory = await temporaryFolder();
    const running = new CollectHere({ port: 0, directory });
    expect(await running.ingestUrl()).not.toContain(':4318');
    expect(running.stdout.text).toContain(`is collecting into ${directory}\n`);
    expect(labelsOf(running.stdout.text)).toEqual([
      'events and OpenTelemetry',
      'OpenTelemetry gRPC',
      'Sentry DSN',
      'reading',
    ]);
    expect(running.stderr.text).not.toContain('"level":40');
    expect(await running.stop()).toBe(0);
  });

  it('overrides the folder and the ports of a configuration, and keeps its hosts, health and metrics', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'faultline.yaml');
    await writeFile(
      file,
      [
        'receivers: { events: { endpoint: "127.0.0.1:1" } }',
        'exporters: { store: { directory: /nowhere } }',
        'extensions: { health_check: { endpoint: "127.0.0.1:0" } }',
        'service: { extensions: [health_check], telemetry: { metrics: { address: "127.0.0.1:0" } }, pipelines: { events: { receivers: [events], exporters: [store] } } }',
      ].join('\n'),
    );
    const running = new CollectHere({ config: [file], port: 0, directory: `${folder}/$data` });
    expect(await running.ingestUrl()).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,}$/);
    expect(running.stdout.text).toContain(`is collecting into ${folder}/$data\n`);
    expect(labelsOf(running.stdout.text)).toEqual(['events', 'health', 'metrics']);
    expect(await running.stop()).toBe(0);
  });

  it('turns health and metrics on if an option configures them, and exits with 2 for an impossible port', async () => {
    const running = new CollectHere({
      set: [
        'service.extensions=[query, health_check]',
        'extensions.health_check.endpoint=localhost:0',
        'service.telemetry.metrics.address=localhost:0',
      ],
      port: 0,
      directory: await temporaryFolder(),
    });
    await running.eventsUrl();
    expect(labelsOf(running.stdout.text)).toEqual(expect.arrayContaining(['health', 'metrics']));
    expect(await running.stop()).toBe(0);
    expect(await new CollectHere({ port: 65_535, directory: '/nowhere' }).finished).toBe(2);
  });
});
