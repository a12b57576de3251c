import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  killLeftoverProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
  stop,
} from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { reservePort } from '../../helpers/reserved-port.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

let collector: RunningCollector;
beforeAll(async () => {
  collector = await startCollector(await temporaryFolder());
});
afterAll(async () => {
  await stop(collector);
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const send = (args: readonly string[], options: Parameters<typeof runFaultline>[1] = {}) =>
  runFaultline(['send', '--url', collector.ingestUrl, ...args], options);
const eventOf = async (shortId: string) =>
  (await runFaultline(['event', shortId, '--url', collector.queryUrl, '--format', 'ndjson'])).stdout;

describe('faultline send', () => {
  it('sends a test event, and prints the address, the issue, the short event id and the command that shows it', async () => {
    const { code, stdout, stderr } = await send([]);
    expect([code, stderr]).toEqual([0, '']);
    const [first, issue, event, blank, next] = stdout.split('\n');
    expect(first).toBe(`Sent to ${collector.ingestUrl}/v1/events: stored.`);
    const [, issueId] =
      /^ {2}Issue ([0-9a-f]{8}) {2}TestError: a test event from faultline send$/.exec(issue ?? '') ?? [];
    const [, shortId = ''] = /^ {2}Event ([0-9a-f]{4}-0000)$/.exec(event ?? '') ?? [];
    expect([blank, next]).toEqual(['', `faultline browse ${issueId} --url ${collector.queryUrl} opens it.`]);
    expect(JSON.parse(await eventOf(shortId))).toMatchObject({ normalized: { service: 'test', env: 'development' } });
  });

  it('names the command as npx calls it', async () => {
    const env = { FAULTLINE_URL: collector.ingestUrl, npm_command: 'exec' };
    const { stdout } = await runFaultline(['send'], { env });
    expect(stdout).toMatch(/^npx faultline browse [0-9a-f]{8} --url \S+ opens it\.$/m);
  });

  it('sends several events with the names of its options to the collector of FAULTLINE_URL', async () => {
    const fields = ['--app', 'shop', '--service', 'worker', '--env', 'staging', '--level', 'warning'];
    const env = { FAULTLINE_URL: collector.ingestUrl };
    const { code, stdout } = await runFaultline(['send', 'disk almost full', ...fields, '--count', '3'], { env });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Sent to \S+: 3 stored\.\n {2}Issue [0-9a-f]{8} {2}disk almost full\n$/),
    ]);
    const query = 'app:shop service:worker env:staging level:warning';
    const events = await runFaultline(['events', '--url', collector.queryUrl, '--query', query]);
    expect(events.stdout.trim().split('\n')).toHaveLength(3);
  });

  it('sends the payloads of a file, and exits with 1 and the line of each that is rejected', async () => {
    const file = join(await temporaryFolder(), 'failures.ndjson');
    const lines = [JSON.stringify(serverPayload()), '', '{"message":3}', '\u001b[2J'];
    await writeFile(file, lines.join('\n'));
    const { code, stdout, stderr } = await send(['--file', file]);
    expect(code).toBe(1);
    expect(stdout).toContain(': 1 stored, 2 rejected.');
    expect(stderr.split('\n')).toEqual([
      `${file}:3: message must be string`,
      expect.stringMatching(/:4: .* JSON$/),
      '',
    ]);
    expect(stderr).not.toContain('\u001b');
    expect((await send(['--file', '-'], { input: lines[0] ?? '' })).code).toBe(0);
  });

  it('exits with 1, the reason and the next step if no collector takes the event', async () => {
    const closed = await reservePort();
    const refusing = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/problem+json' });
      response.end('{"detail":"a token is required"}');
    });
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const address = refusing.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    for (const [url, sentence] of [
      [
        `http://127.0.0.1:${closed}`,
        /^No collector at \S+ \(ECONNREFUSED\)\. Start one with faultline collect, or set --url\.\n$/,
      ],
      [`http://127.0.0.1:${port}`, /refused: a token is required\. Set FAULTLINE_INGEST_TOKEN\.\n$/],
    ] as const) {
      const { code, stdout, stderr } = await runFaultline(['send', '--url', url]);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
    }
    refusing.close();
    expect(await send(['--count', '0'])).toMatchObject({ code: 2, stdout: '' });
  });
});
