import { EventEmitter } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureReader } from '../../core/contract/reader.js';
import type { EventId, IssueId } from '../../core/event/ids.js';
import { groupedPayload, type RawPayload } from '../../core/event/raw-payload.js';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { openEventStore } from '../../core/storage/event-store.js';
import { openFolderReader } from '../../core/storage/folder-reader.js';
import { verifyFolder } from '../../core/storage/verify/verify-folder.js';
import { runEvent } from '../../tui/commands/event.js';
import { runEvents } from '../../tui/commands/events.js';
import { runExplain } from '../../tui/commands/explain.js';
import { runExport } from '../../tui/commands/export.js';
import { runIssue } from '../../tui/commands/issue.js';
import { runIssues } from '../../tui/commands/issues.js';
import { runRejected } from '../../tui/commands/rejected.js';
import { detailText } from '../../tui/format/event/detail-view.js';
import { closeBodyServers, openBodyServer } from '../helpers/body-server.js';
import { outputs } from '../helpers/outputs.js';
import { serverPayload } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { type RunningService, settingsFor, startService, stopServices } from './running-service.js';

const HALF = '\ud83d';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A payload with halves of surrogate pairs in all of its texts and keys. */
function payloadWithHalves(name: string): RawPayload {
  const text = (value: string | null): string => `${value} ${HALF}`;
  const sent = serverPayload();
  return {
    ...sent,
    app: text(sent.app),
    service: text(sent.service),
    env: text(sent.env),
    error_name: text(name),
    message: text(sent.message),
    route: text(sent.route),
    level: 'error',
    method: text(sent.method),
    release: text(sent.release),
    request_id: text(sent.request_id),
    session_id: text(sent.session_id),
    user_id: text(sent.user_id),
    stack: `${name}: x\n    at call${HALF} (/srv/api/src/cart${HALF}.js:41:9)`,
    tags: { [`key ${HALF}`]: text('tag') },
    extra: { [`key ${HALF}`]: [text('list'), { deep: text('value') }], crumbs: [{ message: text('crumb') }] },
  };
}

/** Fails if a strict parser of JSON would: bytes that are not UTF-8, and escapes of halves. */
function expectStrict(output: Uint8Array | string): void {
  const text = typeof output === 'string' ? output : new TextDecoder('utf-8', { fatal: true }).decode(output);
  expect(text).not.toBe('');
  expect(text.isWellFormed()).toBe(true);
  const escapes = text.match(/\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}/gi) ?? [];
  expect(escapes.filter(({ length }) => length === 6)).toEqual([]);
}

let running: RunningService;
let directory = '';
let readers: FailureReader[] = [];
let closings: (() => Promise<void>)[] = [];
let issueIds: IssueId[] = [];
let eventIds: EventId[] = [];
const called: Record<'webhook' | 'proto' | 'json', Buffer[]> = { webhook: [], proto: [], json: [] };

/** Writes an event as versions did that kept halves. */
async function writeAsEarlier(): Promise<void> {
  const store = await openEventStore({ directory });
  const payload = payloadWithHalves('EarlierError');
  const encoded = Buffer.from(JSON.stringify(payload));
  const { value, version, culprit } = store.grouper.fingerprint(payload);
  const fingerprint = { value, version, culprit: `${culprit} ${HALF}`, title: `EarlierError ${HALF}` };
  await store.append([{ payload: groupedPayload(payload), encoded, fingerprint }]);
  await store.close();
}

beforeAll(async () => {
  directory = await temporaryFolder();
  await writeAsEarlier();
  const servers = await Promise.all(
    (['webhook', 'proto', 'json'] as const).map((name) =>
      openBodyServer((body, _, response) => {
        called[name].push(body);
        response.writeHead(200, { 'content-type': name === 'proto' ? 'application/x-protobuf' : 'application/json' });
        response.end(name === 'json' ? '{}' : '');
      }),
    ),
  );
  const [webhook, proto, json] = servers.map(({ url }) => url);
  running = await startService(
    settingsFor(
      directory,
      'service.extensions=[query, mcp]',
      'extensions.mcp={}',
      'service.pipelines.events.exporters=[store, webhook, otlp_http/proto, otlp_http/json]',
      `exporters.webhook={ endpoint: "${webhook}", allow_private_addresses: true }`,
      ...Object.entries({ proto, json }).map(
        ([encoding, url]) =>
          `exporters.otlp_http/${encoding}={ endpoint: "${url}", encoding: ${encoding}, compression: none, sending_queue: { start_at: beginning } }`,
      ),
    ),
  );
  const events = JSON.stringify([
    payloadWithHalves('SentError'),
    { ...payloadWithHalves('BadError'), [`x ${HALF}`]: 1, message: 5 },
    { [`not ${HALF}`]: HALF },
  ]);
  const response = await fetch(running.eventsUrl, { method: 'POST', headers: JSON_TYPE, body: events });
  expectStrict(new Uint8Array(await response.arrayBuffer()));
  const [httpReader, folderReader] = [
    createHttpReader({ url: running.apiUrl.replace('/api/v1', '') }),
    await openFolderReader({ directory }),
  ];
  readers = [httpReader, folderReader];
  closings = readers.map((reader) => () => reader.close());
  const page = await httpReader.searchEvents({});
  eventIds = page.events.map(({ event_id }) => event_id as EventId);
  issueIds = page.events.map(({ issue_id }) => issue_id as IssueId);
  for (const issueId of issueIds) {
    await fetch(`${running.apiUrl}/issues/${issueId}/actions`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ action: 'comment', comment: `cut ${HALF}`, actor: `me ${HALF}` }),
    });
  }
});
afterAll(async () => {
  for (const close of closings) await close();
  await stopServices();
  await closeBodyServers();
  await removeTemporaryFolders();
});

async function bytesAt(path: string, init: RequestInit = {}): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`${running.apiUrl}${path}`, init)).arrayBuffer());
}

describe('half of a surrogate pair, sent now or stored by an earlier version, is in no', () => {
  it.each([
    '/issues',
    '/issues?query=earlier',
    `/issues?query=${encodeURIComponent('"\\ud83d')}`,
    '/issues/counts',
    '/issues/values?field=service',
    '/issues/since?from=2020-01-01T00:00:00Z&before=2019-01-01T00:00:00Z',
    '/issues/ISSUE',
    '/issues/ISSUE/events',
    '/issues/ISSUE/summary',
    '/events',
    '/events?query=crumb',
    '/events/EVENT',
    '/rejected',
    '/explain?a=ISSUE&b=ISSUE',
    '/suggestions',
    '/releases',
    '/releases/v1.4.2%20%EF%BF%BD',
    '/stats',
    '/openapi.json',
    '/nothing%20here',
  ])('answer of the API: %s', async (path) => {
    for (const [index, issueId] of issueIds.entries()) {
      const asked = path.replaceAll('ISSUE', issueId).replace('EVENT', eventIds[index] ?? '');
      expectStrict(await bytesAt(asked));
    }
  });

  it('change in a stream', async () => {
    const stop = new AbortController();
    const { body } = await fetch(`${running.apiUrl}/stream`, { signal: stop.signal });
    const sent = fetch(running.eventsUrl, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(payloadWithHalves('StreamedError')),
    });
    let text = '';
    for await (const piece of body ?? []) {
      text += new TextDecoder('utf-8', { fatal: true }).decode(piece, { stream: true });
      if (text.includes('StreamedError')) break;
    }
    await sent;
    stop.abort();
    expectStrict(text);
  });

  it('answer for coding assistants', async () => {
    const headers = {
      ...JSON_TYPE,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    };
    const calls = [
      ['tools/call', { name: 'list_issues', arguments: {} }],
      ...issueIds.map((id) => ['tools/call', { name: 'get_issue', arguments: { issue_id: id } }]),
      ...eventIds.map((id) => ['tools/call', { name: 'get_event', arguments: { event_id: id } }]),
      ...eventIds.map((id) => ['resources/read', { uri: `faultline://events/${id}/raw` }]),
    ];
    for (const [method, params] of calls) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const text = await bytesAt('/../../mcp', { method: 'POST', headers, body });
      expect(Buffer.from(text).toString()).not.toContain('"error"');
      expectStrict(text);
    }
  });

  it.each([
    ['issues', (given) => runIssues({ ...given, sort: 'last_seen', limit: 50 })],
    ['issue', (given) => runIssue({ ...given, issueId: issueIds[0] ?? '' })],
    ['issue', (given) => runIssue({ ...given, issueId: issueIds.at(-1) ?? '' })],
    ['events', (given) => runEvents({ ...given, limit: 50 })],
    ['event', (given) => runEvent({ ...given, eventId: eventIds[0] ?? '' })],
    ['event', (given) => runEvent({ ...given, eventId: eventIds.at(-1) ?? '' })],
    ['explain', (given) => runExplain({ ...given, a: eventIds[0] ?? '', b: eventIds.at(-1) ?? '' })],
    ['rejected', (given) => runRejected(given)],
    ['export', (given) => runExport({ ...given, format: 'ndjson', signals: new EventEmitter() })],
    ['export', (given) => runExport({ ...given, format: 'ndjson', normalized: true, signals: new EventEmitter() })],
    ['export', (given) => runExport({ ...given, format: 'ndjson', issues: true, signals: new EventEmitter() })],
  ] satisfies [string, (given: Parameters<typeof runRejected>[0]) => Promise<number>][])(
    'line of faultline %s',
    async (_, run) => {
      for (const reader of readers) {
        for (const json of [false, true]) {
          const to = outputs();
          expect(await run({ reader, json, env: {}, ...to })).toBe(0);
          expectStrict(to.out());
        }
      }
    },
  );

  it('page of an event', async () => {
    for (const reader of readers) {
      for (const id of eventIds) {
        const event = await reader.getEvent(id);
        if (event === undefined) throw new Error('no event');
        expectStrict(detailText(event));
        expectStrict(JSON.stringify(event));
      }
    }
  });

  it('call of a webhook, and no record for other backends', async () => {
    await waitFor('all calls', () =>
      Object.values(called).every((bodies) => Buffer.concat(bodies).includes('SentError')),
    );
    for (const body of [...called.webhook, ...called.json]) expectStrict(body);
    expect(Buffer.concat(called.json).includes('EarlierError \ufffd')).toBe(true);
    // What is no text of a protobuf message is not UTF-8; U+FFFD stands where a half was, and no half is encoded as three bytes.
    const proto = Buffer.concat(called.proto);
    expect(proto.includes('EarlierError \ufffd')).toBe(true);
    expect(proto.includes(Buffer.from([0xed, 0xa0, 0xbd]))).toBe(false);
  });

  it('name for which `faultline verify` takes a line for misplaced', async () => {
    const codes: string[] = [];
    await verifyFolder({ directory, onFinding: ({ code }) => codes.push(code) });
    expect(codes).not.toContain('RAW_LINE_MISPLACED');
  });

  it('line that is written: raw lines, rejected payloads, actions', async () => {
    const names = await readdir(directory, { recursive: true });
    const written = names.filter((name) => name.endsWith('.ndjson'));
    expect(written.length).toBeGreaterThan(3);
    let lines = 0;
    for (const name of written) {
      for (const line of (await readFile(join(directory, name), 'utf8')).split('\n')) {
        if (line === '' || line.includes('EarlierError')) continue;
        expectStrict(line);
        lines += 1;
      }
    }
    expect(lines).toBeGreaterThan(3);
  });
});
