import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { type EveryComponent, startEveryComponent } from './every-component.js';
import { everyCall } from './route-table.js';

let running: EveryComponent;
let paths: readonly string[] = [];

beforeAll(async () => {
  running = await startEveryComponent();
  paths = [...new Set((await everyCall(running)).map(({ call }) => call.path))];
});
afterAll(async () => {
  await running.close();
  await removeTemporaryFolders();
});

interface OddRequest {
  readonly method: string;
  /** After the path of the route. */
  readonly suffix?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request to every route, and returns the answers that blame the collector. */
async function blamingAnswers({ method, suffix = '', headers, body }: OddRequest): Promise<string[]> {
  const accept = 'application/json, text/event-stream';
  const given = { host: 'localhost', accept, 'content-type': 'application/json', ...headers };
  const found = await Promise.all(
    paths.map(async (path) => {
      const call = { method, path: path + suffix, headers: given, ...(body !== undefined && { body }) };
      const { status } = await running.call(call);
      return status >= 500 ? [`${method} ${path}: ${status}`] : [];
    }),
  );
  const logged = running.logged.filter(({ level }) => Number(level) >= ERROR);
  return [...found.flat(), ...logged.map((line) => JSON.stringify(line))];
}

/** In the log. */
const ERROR = 50;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH'];
const KEY = { 'x-sentry-auth': 'Sentry sentry_version=7, sentry_key=abc' };
const LONG = 'x'.repeat(150_000);
const SMALL: Readonly<Record<string, string>> = { 'an object': '{}', 'what is not JSON': '{"a":' };
const LARGE: Readonly<Record<string, string>> = {
  'a long text': JSON.stringify(LONG),
  'a member with a long name': JSON.stringify({ [LONG]: 1 }),
  'a long text in each member that is read': JSON.stringify({
    ...{ version: LONG, message: LONG, event_id: LONG, release: LONG, environment: LONG, action: LONG, by: LONG },
    ...{ jsonrpc: '2.0', id: LONG, method: LONG, params: { uri: LONG, name: LONG } },
  }),
  '100,000 levels': '['.repeat(100_000) + ']'.repeat(100_000),
  'a resource with a long address': JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'resources/read' },
    params: { uri: `faultline://events/${LONG}/raw` },
  }),
};
const TARGETS = [
  `?${'a'.repeat(12_000)}`,
  `&${'a=%ff&'.repeat(2_000)}`,
  '?a=%',
  '/%ff',
  '/%2e%2e%2f',
  '/'.repeat(9_000),
];
const HEADERS = ['accept', 'content-type', 'content-encoding', 'authorization', 'x-sentry-auth', 'idempotency-key'];
HEADERS.push('prefer', 'mcp-protocol-version', 'mcp-name', 'last-event-id', 'user-agent', 'referer');

describe('no route answers with a server error', () => {
  it.each(METHODS)('%s without a body', async (method) => {
    expect(await blamingAnswers({ method, headers: KEY })).toEqual([]);
  });

  it.each(['GET', 'POST', 'PUT'])('%s with a small body', async (method) => {
    for (const [name, body] of Object.entries(SMALL)) {
      expect([name, await blamingAnswers({ method, body, headers: KEY })]).toEqual([name, []]);
    }
  });

  it.each(['GET', 'POST'])('%s with a large body', async (method) => {
    for (const [name, body] of Object.entries(LARGE)) {
      expect([name, await blamingAnswers({ method, body, headers: KEY })]).toEqual([name, []]);
    }
  });

  it.each(['GET', 'POST'])('%s with an odd target', async (method) => {
    for (const suffix of TARGETS) {
      const name = suffix.slice(0, 10);
      expect([name, await blamingAnswers({ method, suffix, headers: KEY })]).toEqual([name, []]);
    }
  });

  it.each([
    ['GET', '\u00ff'.repeat(12_000)],
    ['POST', 'a,'.repeat(6_000)],
  ])('%s with a header of 12 kB', async (method, value) => {
    for (const name of HEADERS) {
      const headers = { ...KEY, [name]: value };
      expect([name, await blamingAnswers({ method, headers, body: '{}' })]).toEqual([name, []]);
    }
  });
});
