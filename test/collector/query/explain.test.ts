import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import type { GroupingComparison } from '../../../generated/reader-answers.js';
import { runExplain } from '../../../tui/commands/explain.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';

const GOLDEN = new URL('../../fixtures/explain/comparison.txt', import.meta.url);
const NOBODY = '019a3c5e-7d2f-7a10-8000-00004b1d2c3e';
const RULES = 'grouping.rules=[{name: tenants, query: "service:api", split_by: [tags.tenant]}]';
const LOG = { error_name: 'PoolError', stack: null, extra: null, tags: { tenant: 'acme' } };

let running: RunningService;
let directory: string;
let sent: { event_id: string; issue_id: string }[];

beforeAll(async () => {
  directory = await temporaryFolder();
  running = await startService(settingsFor(directory, RULES));
  const { body } = await post(
    running.eventsUrl,
    JSON.stringify([
      serverPayload({ ...LOG, message: 'no connection to 10.0.0.7 after 1500 ms' }),
      serverPayload({ ...LOG, message: 'connection to 10.0.0.8 was reset' }),
      serverPayload({ ...LOG, message: 'no connection to 10.0.0.9 after 20 ms', route: '/other' }),
    ]),
  );
  sent = (body.events ?? []).map(({ event_id, issue_id }) => ({ event_id, issue_id }));
});
afterAll(async () => {
  await running.service.shutdown();
  await removeTemporaryFolders();
});

async function explain(query: string): Promise<{ status: number; body: GroupingComparison & Record<string, unknown> }> {
  const response = await fetch(`${running.apiUrl}/explain${query}`);
  return { status: response.status, body: (await response.json()) as GroupingComparison & Record<string, unknown> };
}

function idOf(index: number, kind: 'event_id' | 'issue_id' = 'event_id'): string {
  return sent[index]?.[kind] ?? '';
}

describe('GET /explain', () => {
  it('compares two events, or the first events of two issues, with the rules of the configuration', async () => {
    const events = await explain(`?a=${idOf(0)}&b=${idOf(1)}`);
    expect(events.status).toBe(200);
    expect(events.body).toMatchObject({ same: false, suggestion: { purpose: 'join' } });
    expect(events.body.equal).toContainEqual({ part: 'split', value: ['tags.tenant', 'acme'], used: true });
    const issues = await explain(`?a=${idOf(2, 'issue_id').toUpperCase()}&b=${idOf(1, 'issue_id')}`);
    expect(issues.body.a).toMatchObject({ id: idOf(0, 'issue_id'), event_id: idOf(0) });
    expect(issues.body.differ).toEqual(events.body.differ);
  });

  it('finds a rule that separates two events of one issue', async () => {
    const { body } = await explain(`?a=${idOf(0)}&b=${idOf(2)}`);
    expect(body).toMatchObject({ same: true, differ: [], suggestion: { purpose: 'separate' } });
  });

  it.each([
    [400, 'PARAMETER_INVALID', 'a', '?b=x'],
    [400, 'PARAMETER_INVALID', 'b', `?a=${NOBODY}`],
    [400, 'PARAMETER_INVALID', 'a', `?a=nonsense&b=${NOBODY}`],
    [400, 'PARAMETER_UNKNOWN', 'c', `?c=${NOBODY}`],
    [404, 'EXPLAIN_NOT_FOUND', 'a', `?a=${NOBODY}&b=${NOBODY}`],
  ])('responds with %i %s, which names %s: %s', async (status, code, parameter, query) => {
    const response = await explain(query);
    if (query.startsWith('?b=x')) expect(response.body['parameter']).toMatch(/^[ab]$/);
    else expect(response.body['parameter']).toBe(parameter);
    expect(response).toMatchObject({ status, body: { code } });
  });

  it('names the second id if that one is missing', async () => {
    const response = await explain(`?a=${idOf(0)}&b=${NOBODY}`);
    expect(response).toMatchObject({ status: 404, body: { code: 'EXPLAIN_NOT_FOUND', parameter: 'b' } });
  });

  it('is the same from a reader of the folder', async () => {
    const reader = await openFolderReader({ directory });
    try {
      const { body } = await explain(`?a=${idOf(0)}&b=${idOf(1)}`);
      expect(await reader.explain(idOf(0), idOf(1))).toEqual(body);
    } finally {
      await reader.close();
    }
  });
});

it('GET /issues/{id} shows what the rules of the configuration decided', async () => {
  const response = await fetch(`${running.apiUrl}/issues/${idOf(0, 'issue_id')}`);
  const { basis } = (await response.json()) as { basis: { parts: object[] } };
  expect(basis.parts).toContainEqual({
    part: 'split',
    used: true,
    value: ['tags.tenant', 'acme'],
    reason: 'Rule "tenants" tells failures apart by tags.tenant.',
  });
});

/** Runs the command against the collector; replaces ids, which vary, with names. */
async function printed(a: string, b: string, json = false): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const createOutput = (name: 'out' | 'err') =>
    new Writable({
      write(chunk: unknown, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
  const reader = createHttpReader({ url: running.apiUrl.replace('/api/v1', '') });
  const code = await runExplain({
    reader,
    a,
    b,
    json,
    env: {},
    stdout: createOutput('out'),
    stderr: createOutput('err'),
  });
  await reader.close();
  const named = sent.reduce(
    (text, { event_id, issue_id }, index) =>
      text.replaceAll(event_id, `event-${index}`).replaceAll(issue_id, `issue-${index}`),
    written.out.replaceAll(/\b[0-9a-f]{32}\b/g, '<fingerprint>'),
  );
  return { code, out: json ? written.out : named, err: written.err };
}

describe('faultline explain', () => {
  it('prints what is equal, what differs and a rule to paste', async () => {
    const { code, out, err } = await printed(idOf(0), idOf(1));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('prints the response of the reading API with --json', async () => {
    const { body } = await explain(`?a=${idOf(0)}&b=${idOf(1)}`);
    expect(JSON.parse((await printed(idOf(0), idOf(1), true)).out)).toEqual(body);
  });

  it('names an unknown id, and refuses a malformed one', async () => {
    expect(await printed(idOf(0), NOBODY)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(NOBODY) });
    expect(await printed('issue', NOBODY)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not an issue id'),
    });
  });
});
