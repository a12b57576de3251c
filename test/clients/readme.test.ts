import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EVERY_RECEIVER,
  endLeftProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
  startFaultline,
  stop,
} from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { clientEndpoints } from './client-endpoints.js';
import { startClient, startNode } from './client-program.js';
import { readmeBlock } from './readme-block.js';
import { storedPayloads } from './stored-payloads.js';

const README_DSN = /http:\/\/[0-9a-f]{32}@localhost:4318\/1/g;

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
  endLeftProcesses();
  await removeTemporaryFolders();
});

/** A block of the README for the collector of this test. */
function blockFor(heading: string): string {
  const { http, dsn } = clientEndpoints(collector);
  return readmeBlock(heading)
    .replaceAll(README_DSN, dsn)
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

describe('a block of collector/README.md', () => {
  it.each([
    ['Node, without a package', { app: 'shop', service: 'api', message: 'quantity 12 exceeds the limit' }],
    ['winston', { app: 'shop', service: 'api', message: 'the card was declined' }],
    ['pino', { app: 'shop', service: 'api', message: 'the card was declined' }],
    ['Sentry, Node', { app: 'shop', service: 'shop', message: 'the card was declined' }],
  ])('for "%s" stores its event as it stands', async (heading, expected) => {
    await runJavaScript(blockFor(heading));
    expect(await storedPayloads(directory)).toMatchObject([{ ...expected, env: 'production' }]);
  });

  it('for OpenTelemetry names the variables by which an SDK finds the collector', async () => {
    await startClient('otel-environment', environmentOf(blockFor('OpenTelemetry, Node'))).finished;
    const expected = { app: 'shop', service: 'api', env: 'production', message: 'the card was declined' };
    expect(await storedPayloads(directory)).toMatchObject([expected]);
  });

  it('for a program that reports nothing collects its crash, whose exit code it keeps', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'server.js'), 'throw new Error("the card was declined");\n');
    const [, , ...words] = readmeBlock('A program that reports nothing').trim().split(' ');
    const { code } = await runFaultline(words, { cwd, env: { FAULTLINE_URL: collector.ingestUrl } });
    expect(code).toBe(1);
    expect(await storedPayloads(directory)).toMatchObject([{ error_name: 'Error', message: 'the card was declined' }]);
  });

  it('for log files is a whole configuration, and collects what is in them', async () => {
    const folder = await temporaryFolder();
    const logs = join(folder, 'log');
    await mkdir(logs);
    await writeFile(
      join(logs, 'api.log'),
      'ready\nError: the card was declined\n    at pay (/srv/pay.js:7:9)\nready\n',
    );
    const config = join(folder, 'faultline.yaml');
    await writeFile(config, readmeBlock('Log files').replaceAll('/var/log/shop', logs));
    const data = join(folder, 'data');
    const following = startFaultline(
      [
        'collect',
        `--config=${config}`,
        `--set=exporters.store.directory=${data}`,
        '--set=extensions.query.endpoint=localhost:0',
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
