import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import type { IssuePage } from '../../generated/reader-answers.js';
import { EVERY_RECEIVER, type RunningCollector, startCollector } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Flags that avoid network access. */
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];

let browser: Browser;
let pages: Server;
let collector: RunningCollector;

/** Serves pages that run the scripts of `pages/`, from their own origin. */
async function servePages(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const name = /^\/(\w+)(\.js)?(?:\?|$)/.exec(request.url ?? '');
    if (name === null) {
      response.writeHead(404).end();
    } else if (name[2] === undefined) {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>${name[1]}</title><script src="/${name[1]}.js"></script>`);
    } else {
      const entry = fileURLToPath(new URL(`pages/${name[1]}.js`, import.meta.url));
      const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, platform: 'browser' });
      response.setHeader('content-type', 'text/javascript');
      response.end(outputFiles[0]?.contents);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const origin = () => `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

beforeAll(async () => {
  pages = await servePages();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  collector = await startCollector(await temporaryFolder(), [
    ...EVERY_RECEIVER,
    `--set=receivers.otlp.protocols.http.cors.allowed_origins=["${origin()}"]`,
    '--set=receivers.events.cors.allowed_origins=["http://127.0.0.1:*"]',
  ]);
});

afterAll(async () => {
  await browser?.close();
  collector?.child.kill('SIGTERM');
  await collector?.finished;
  pages?.close();
  await removeTemporaryFolders();
});

/** Opens a page, calls its `report` function, and returns the result. */
async function report(page: string, parameters: Record<string, string>): Promise<unknown> {
  const tab = await browser.newPage();
  try {
    await tab.goto(`${origin()}/${page}?${new URLSearchParams(parameters)}`);
    return await tab.evaluate('window.report()');
  } finally {
    await tab.close();
  }
}

async function issuesOf(query: string, count: number): Promise<IssuePage['issues']> {
  return await waitFor(`${count} issues of ${query}`, async () => {
    const response = await fetch(`${collector.queryUrl}/api/v1/issues?query=${encodeURIComponent(query)}`);
    const { issues } = (await response.json()) as IssuePage;
    return issues.length >= count && issues;
  });
}

describe('a page in Chromium', () => {
  it('with the Sentry browser SDK stores an error and a message', async () => {
    const dsn = /(http:\/\/[0-9a-f]{32}@\S+)/.exec(collector.output.stdout)?.[1] ?? '';
    expect(await report('sentry', { dsn })).toBe(true);
    const issues = await issuesOf('env:test-page release:page@1.2.3', 2);
    expect(issues.map(({ error_name, message }) => [error_name, message]).sort()).toEqual([
      ['', 'the page says hello'],
      ['TypeError', expect.stringContaining("Cannot read properties of undefined (reading 'max')")],
    ]);
  });

  it('with OpenTelemetry stores an exception and an error log', async () => {
    expect(await report('opentelemetry', { endpoint: collector.ingestUrl })).toBe(true);
    const issues = await issuesOf('service:shop-page', 2);
    expect(issues.map(({ app, error_name, message }) => [app, error_name, message]).sort()).toEqual([
      ['shop', '', 'checkout was not possible'],
      ['shop', 'RangeError', 'no such card'],
    ]);
  });

  it('stores a failure that it sends as a beacon', async () => {
    expect(await report('beacon', { endpoint: collector.ingestUrl })).toBe(true);
    const [issue] = await issuesOf('app:shop service:page', 1);
    expect(issue).toMatchObject({ error_name: 'BeaconError', message: 'sent by a beacon' });
  });
});
