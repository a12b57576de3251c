import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const configFor = (directory: string, endpoint: string) => `
receivers: { events: { endpoint: "${endpoint}" } }
exporters: { store: { directory: "${directory}" } }
service:
  pipelines: { events: { receivers: [events], exporters: [store] } }
  telemetry: { metrics: { level: none } }
`;

describe('faultline validate', () => {
  it('reports that the port and the folder belong to a running collector, and nothing without start checks', async () => {
    const folder = await temporaryFolder();
    const data = join(folder, 'data');
    const collector = await startCollector(data, ['--set=service.telemetry.metrics.level=none']);
    const port = new URL(collector.ingestUrl).port;
    const config = join(folder, 'faultline.yaml');
    await writeFile(config, configFor(data, `localhost:${port}`));

    const { code, stdout, stderr } = await runFaultline(['validate', '--config', config]);
    const lines = stderr.trimEnd().split('\n');
    expect([code, stdout, lines.length]).toEqual([1, '', 2]);
    expect(lines[0]).toContain(`${config}:2:34: receivers.events.endpoint: cannot listen on localhost:${port}`);
    expect(lines[1]).toContain(`${config}:3:34: exporters.store.directory: in use by process`);
    expect(lines[1]).toContain(String(collector.child.pid));

    expect(await runFaultline(['validate', '--config', config, '--no-start-checks'])).toMatchObject({
      code: 0,
      stdout: 'configuration is valid\n',
      stderr: '',
    });
    expect(await stop(collector)).toMatchObject({ code: 0 });
    expect(await runFaultline(['validate', '--config', config])).toMatchObject({ code: 0, stderr: '' });
  });

  it('checks the default configuration without --config, accepts file:, env: and yaml:, and exits with 2 for an unknown option', async () => {
    expect(await runFaultline(['validate', '--no-start-checks'])).toMatchObject({ code: 0, stderr: '' });
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'a.yaml'), configFor(folder, 'localhost:0'));
    const configs = [
      '--config=file:a.yaml',
      '--config=env:MORE',
      '--config=yaml:{ exporters: { store: { durability: os } } }',
    ];
    const env = { MORE: 'receivers: { events: { max_events_per_request: 5 } }' };
    const printed = await runFaultline(['print-config', ...configs], { cwd: folder, env });
    expect(parse(printed.stdout)).toMatchObject({
      receivers: { events: { max_events_per_request: 5, endpoint: 'localhost:0' } },
      exporters: { store: { durability: 'os' } },
    });
    expect(await runFaultline(['validate', ...configs], { cwd: folder, env })).toMatchObject({ code: 0, stderr: '' });
    expect(await runFaultline(['validate', '--confg', 'a.yaml'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('checks the IPv4 and the IPv6 loopback address of metrics', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'a.yaml'), configFor(folder, 'localhost:0'));
    const metrics = `--set=service.telemetry.metrics={ level: normal, address: "localhost:${port}" }`;
    const { code, stderr } = await runFaultline(['validate', '--config', 'a.yaml', metrics], { cwd: folder });
    await new Promise((resolve) => server.close(resolve));
    expect(code).toBe(1);
    expect(stderr).toContain(`service.telemetry.metrics.address: cannot listen on localhost:${port}`);
  });

  it('names NATS servers that cannot be reached, at their place in the text, if asked to connect', async () => {
    const config = join(await temporaryFolder(), 'nats.yaml');
    const text = `receivers: { events: }
exporters:
  store:
  nats: { servers: ["nats://127.0.0.1:1"] }
service: { pipelines: { events: { receivers: [events], exporters: [store, nats] } } }
`;
    await writeFile(config, text);
    const { code, stdout, stderr } = await runFaultline([
      'validate',
      '--config',
      config,
      '--no-start-checks',
      '--connect',
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`${config}:4:20: exporters.nats.servers: nats://127.0.0.1:1: connection refused\n`);
  });
});

describe('faultline components and print-config', () => {
  it('lists the components of this build', async () => {
    const { code, stdout } = await runFaultline(['components']);
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({ buildinfo: { command: 'faultline' } });
  });

  it('masks secrets in the printed configuration, which loads again with --unredacted', async () => {
    const folder = await temporaryFolder();
    const config = join(folder, 'a.yaml');
    const extension = `extensions: { bearertokenauth: { token: "\${env:TOKEN}" } }\n`;
    const text = configFor(folder, 'localhost:0').replace('service:\n', 'service:\n  extensions: [bearertokenauth]\n');
    await writeFile(config, extension + text);
    const env = { TOKEN: 'hunter2hunter2hunter2' };
    const masked = await runFaultline(['print-config', '--config', config], { env });
    expect([masked.code, masked.stdout.includes('hunter2')]).toEqual([0, false]);
    const shown = await runFaultline(['print-initial-config', '--unredacted', '--config', config], { env });
    const again = join(folder, 'b.yaml');
    await writeFile(again, shown.stdout);
    expect((await runFaultline(['print-config', '--unredacted', '--config', again])).stdout).toBe(shown.stdout);
  });
});
