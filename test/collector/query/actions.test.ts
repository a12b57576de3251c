import type { IssueDetail } from '../../../generated/reader-answers.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';

let running: RunningService;

beforeAll(async () => {
  running = await startService(settingsFor(await temporaryFolder()));
});
afterAll(async () => {
  await running.service.shutdown();
  await removeTemporaryFolders();
});

let made = 0;

/** Stores events of a new kind and returns the id of their issue. */
async function newIssue(changes: Parameters<typeof serverPayload>[0] = {}): Promise<string> {
  made += 1;
  return await store({ error_name: `Made${made}Error`, stack: null, ...changes });
}

async function store(changes: Parameters<typeof serverPayload>[0]): Promise<string> {
  const { body } = await post(running.eventsUrl, JSON.stringify(serverPayload(changes)));
  return body.events?.[0]?.issue_id ?? '';
}

interface Problem {
  code: string;
  detail: string;
  field?: string;
}

async function act(issueId: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${running.apiUrl}/issues/${issueId}/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as IssueDetail & Problem };
}

describe('POST /issues/{issue_id}/actions', () => {
  it('performs each action and returns the changed issue', async () => {
    const id = await newIssue();
    const other = await newIssue();
    const steps: [object, object][] = [
      [
        { action: 'assign', assignee: 'anna', actor: 'bob' },
        { assignee: 'anna', status: 'open' },
      ],
      [
        { action: 'resolve', in_release: 'v9', reason: 'fixed' },
        { status: 'resolved', resolved_in: 'v9' },
      ],
      [{ action: 'reopen' }, { status: 'open', regressed: false }],
      [
        { action: 'ignore', snooze: '100x/1h' },
        { status: 'ignored', snooze: '100x/1h' },
      ],
      [{ action: 'undo' }, { status: 'open', snooze: null }],
      [{ action: 'comment', text: 'Füße ✓' }, { status: 'open' }],
      [
        { action: 'merge', issues: [other] },
        { merged: [other], count: 2 },
      ],
      [
        { action: 'split', issues: [other] },
        { merged: [], count: 1 },
      ],
      [{ action: 'assign', assignee: null }, { assignee: null }],
    ];
    for (const [request, expected] of steps) {
      expect(await act(id, request)).toMatchObject({ status: 200, body: { issue_id: id, ...expected } });
    }
    const { history } = (await act(id.toUpperCase(), { action: 'reopen' })).body;
    expect(history.map(({ action }) => action)).toEqual([
      ...steps.map(([request]) => ('action' in request ? request.action : '')),
      'reopen',
    ]);
    expect(history[0]).toMatchObject({ actor: 'bob', detail: 'anna', undone: false });
    expect(history[1]).toMatchObject({ reason: 'fixed', detail: 'v9' });
    expect(history[3]?.undone).toBe(true);
  });

  it.each([
    [{ action: 'destroy' }, 'ACTION_INVALID', '/action'],
    [{ action: 'resolve', in_release: 7 }, 'ACTION_INVALID', '/in_release'],
    [{ action: 'resolve', text: 'x' }, 'ACTION_INVALID', '/text'],
    [{ action: 'resolve', 'a/b~c': 1 }, 'ACTION_INVALID', '/a~1b~0c'],
    [{ action: 'comment' }, 'ACTION_INVALID', '/text'],
    [{ action: 'comment', text: 'x'.repeat(16_385) }, 'ACTION_INVALID', '/text'],
    [{ action: 'merge', issues: [] }, 'ACTION_INVALID', '/issues'],
    [{ action: 'merge', issues: ['x'] }, 'ACTION_INVALID', '/issues'],
    [{ action: 'split', fingerprints: ['x'] }, 'ACTION_INVALID', '/fingerprints'],
    [{ action: 'ignore', snooze: 'soon' }, 'SNOOZE_INVALID', '/snooze'],
    [{ action: 'undo' }, 'ACTION_NOT_FOUND', '/undoes'],
    [{ action: 'undo', undoes: 'nothing' }, 'ACTION_NOT_FOUND', '/undoes'],
    [{ action: 'split', issues: ['0bd5e65c-2829-5c2d-aac6-88a4f91592cf'] }, 'ISSUES_NOT_MERGED', '/issues'],
    ['{"action":"resolve","__proto__":{"in_release":"v1"}}', 'ACTION_INVALID', '/__proto__'],
    ['{"action":"constructor"}', 'ACTION_INVALID', '/action'],
    ['[{"action":"resolve"}]', 'ACTION_INVALID', ''],
    ['null', 'ACTION_INVALID', ''],
  ])('refuses %j and names the member', async (request, code, field) => {
    const id = await newIssue();
    const { status, body } = await act(id, request);
    expect([status, body.code, body.field]).toEqual([422, code, field]);
    const issue = (await (await fetch(`${running.apiUrl}/issues/${id}`)).json()) as IssueDetail;
    expect([issue.status, issue.history]).toEqual(['open', []]);
  });

  it('refuses bodies that are not small JSON documents, unknown issues and other methods', async () => {
    const id = await newIssue();
    const resolve = { action: 'resolve' };
    const unknown = '0bd5e65c-2829-5c2d-aac6-88a4f91592cf';
    const cases: [Promise<{ status: number; body: Problem }>, number, string][] = [
      [act(id, '{"action":'), 400, 'MALFORMED_JSON'],
      [act(id, ''), 400, 'BODY_EMPTY'],
      [act(id, '['.repeat(100_000)), 400, 'MALFORMED_JSON'],
      [act(id, { action: 'comment', text: 'x'.repeat(10_000_000) }), 413, 'BODY_TOO_LARGE'],
      [act(id, resolve, { 'content-type': 'text/plain' }), 415, 'CONTENT_TYPE_UNSUPPORTED'],
      [
        act(id, 'action=resolve', { 'content-type': 'application/x-www-form-urlencoded' }),
        415,
        'CONTENT_TYPE_UNSUPPORTED',
      ],
      [act(id, resolve, { origin: 'http://evil.example' }), 403, 'ORIGIN_NOT_ALLOWED'],
      [act(id, resolve, { origin: 'null' }), 403, 'ORIGIN_NOT_ALLOWED'],
      [act('nonsense', resolve), 400, 'PARAMETER_INVALID'],
      [act(unknown, resolve), 404, 'ISSUE_NOT_FOUND'],
      [act(id, { action: 'merge', issues: [unknown] }), 404, 'ISSUE_NOT_FOUND'],
    ];
    for (const [response, status, code] of cases) {
      const { status: found, body } = await response;
      expect([found, body.code]).toEqual([status, code]);
    }
    const get = await fetch(`${running.apiUrl}/issues/${id}/actions`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const own = await act(id, resolve, { origin: new URL(running.apiUrl).origin });
    expect(own).toMatchObject({ status: 200, body: { status: 'resolved' } });
  });

  it('orders a resolution and events in flight by their receipt', async () => {
    const id = await newIssue();
    const kind = { error_name: `Made${made}Error`, stack: null };
    await Promise.all([
      ...Array.from({ length: 20 }, () => store(kind)),
      act(id, { action: 'resolve' }),
      ...Array.from({ length: 20 }, () => store(kind)),
    ]);
    const read = async () => (await (await fetch(`${running.apiUrl}/issues/${id}`)).json()) as IssueDetail;
    const issue = await read();
    expect(issue.count).toBe(41);
    const resolvedAtMs = Date.parse(issue.history[0]?.at ?? '');
    const page = (await (await fetch(`${running.apiUrl}/issues/${id}/events?limit=1`)).json()) as {
      events: { event_id: string }[];
    };
    // A UUIDv7 begins with the receipt time in milliseconds; the order within one is not defined.
    const newestMs = Number.parseInt((page.events[0]?.event_id ?? '').replaceAll('-', '').slice(0, 12), 16);
    if (newestMs !== resolvedAtMs) expect(issue.regressed).toBe(newestMs > resolvedAtMs);
    expect(issue.status).toBe(issue.regressed ? 'open' : 'resolved');
    await act(id, { action: 'resolve' });
    expect((await read()).status).toBe('resolved');
    await store(kind);
    expect(await read()).toMatchObject({ status: 'open', regressed: true });
  });
});

describe('GET /events', () => {
  it('searches the events of all issues, page after page', async () => {
    for (let n = 0; n < 3; n += 1) await newIssue({ user_id: 'u-search' });
    const seen: string[] = [];
    let cursor = '';
    do {
      const url = `${running.apiUrl}/events?query=user_id:u-search&limit=2${cursor && `&cursor=${cursor}`}`;
      const page = (await (await fetch(url)).json()) as {
        events: { error_name: string }[];
        next_cursor: string | null;
      };
      seen.push(...page.events.map(({ error_name: name }) => name));
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual([`Made${made}Error`, `Made${made - 1}Error`, `Made${made - 2}Error`]);
    const wrong = await fetch(`${running.apiUrl}/events?query=(`);
    expect([wrong.status, (await wrong.json()) as Problem]).toMatchObject([
      400,
      { code: 'QUERY_INVALID', parameter: 'query' },
    ]);
  });
});
