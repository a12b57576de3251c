import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blockUnder } from '../../docs/markdown-blocks.js';
import { clientEndpoints } from '../../helpers/clients/client-endpoints.js';
import { startClient, startNode } from '../../helpers/clients/client-program.js';
import {
  EVERY_RECEIVER,
  killLeftoverProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
  startFaultline,
  stop,
} from '../../helpers/faultline-process.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const PAGE = 'docs/sending.md';
const PAGE_DSN = /http:\/\/[0-9a-f]{32}@localhost:4318\/1/g;

let directory: string;
let collector: RunningCollector;
beforeEach(async () => {
  directory = await temporaryFolder();
  collector = await startCollector(directory, EVERY_RECEIVER);
});
afterEach(async () => {
  await stop(collector);
});
afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Returns a block with the addresses of the collector of this test. */
async function blockFor(heading: string): Promise<string> {
  const { http, dsn } = clientEndpoints(collector);
  return (await blockUnder(PAGE, heading))
    .replaceAll(PAGE_DSN, dsn)
    .replaceAll('http://localhost:4318', http)
    .replaceAll("'@sentry/node'", "'sentry-node-11'");
}

async function runJavaScript(text: string): Promise<void> {
  const words = text.includes('require(') ? ['-e', text] : ['--input-type=module', '-e', text];
  await startNode(words, {}).finished;
}

/** The `export` lines of a shell block. */
function environmentOf(block: string): NodeJS.ProcessEnv {
  return Object.fromEntries(Array.from(block.matchAll(/^export (\w+)=(.*)$/gm), ([, name, value]) => [name, value]));
}

describe('a block of docs/sending.md', () => {
  it.each([
    ['Node, without a package', { app: 'shop', service: 'api', message: 'quantity 12 exceeds the limit' }],
    ['winston', { app: 'shop', service: 'api', message: 'the card was declined' }],
    ['pino', { app: 'shop', service: 'api', message: 'the card was declined' }],
    ['Sentry, Node', { app: 'shop', service: 'shop', message: 'the card was declined' }],
  ])('for "%s" stores its event without changes to the block', async (heading, expected) => {
    await runJavaScript(await blockFor(heading));
    expect(await storedPayloads(directory)).toMatchObject([{ ...expected, env: 'production' }]);
  });

  it('for OpenTelemetry sets the environment variables that an SDK needs', async () => {
    await startClient('otel-environment', environmentOf(await blockFor('OpenTelemetry, Node'))).finished;
    const expected = { app: 'shop', service: 'api', env: 'production', message: 'the card was declined' };
    expect(await storedPayloads(directory)).toMatchObject([expected]);
  });

  it('for `faultline run` collects the crash of a program and exits with its exit code', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'server.js'), 'throw new Error("the card was declined");\n');
    const [first = ''] = (await blockUnder(PAGE, 'faultline run')).split('\n');
    const [, , ...words] = first.split(' ');
    const { code } = await runFaultline(words, { cwd, env: { FAULTLINE_URL: collector.ingestUrl } });
    expect(code).toBe(1);
    expect(await storedPayloads(directory)).toMatchObject([{ error_name: 'Error', message: 'the card was declined' }]);
  });

  it('for log files is a complete configuration that collects their failures', async () => {
    const folder = await temporaryFolder();
    const logs = join(folder, 'log');
    await mkdir(logs);
    await writeFile(
      join(logs, 'api.log'),
      'ready\nError: the card was declined\n    at pay (/srv/pay.js:7:9)\nready\n',
    );
    const config = join(folder, 'faultline.yaml');
    await writeFile(config, (await blockUnder(PAGE, 'Configuration of file_log')).replaceAll('/var/log/shop', logs));
    const data = join(folder, 'data');
    const following = startFaultline(
      [
        'collect',
        `--config=${config}`,
        `--set=exporters.store.directory=${data}`,
        '--set=extensions.query.endpoint=localhost:0',
        '--set=service.telemetry.metrics.address=localhost:0',
      ],
      { cwd: folder },
    );
    const payloads = await waitFor('the event of the file', async () => {
      if (following.child.exitCode !== null) throw new Error(following.output.stderr);
      const stored = await storedPayloads(data);
      return stored.length > 0 && stored;
    });
    expect((await stop(following)).code).toBe(0);
    const expected = { app: 'shop', service: 'api', env: 'production', error_name: 'Error' };
    expect(payloads).toMatchObject([{ ...expected, message: 'the card was declined' }]);
  });
});
