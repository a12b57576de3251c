import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

import { failure, open, startStream, stopStreams } from './running-stream.js';

afterEach(stopStreams);
afterAll(removeTemporaryFolders);

describe('GET /stream', () => {
  it('sends new, changed and regressed issues', async () => {
    const { url, put, act } = await startStream(await temporaryFolder());
    const stream = await open(url);
    expect([stream.status, stream.type]).toEqual([200, 'text/event-stream']);
    const [id] = await put(failure('AError'));
    expect((await stream.next('issue.new')).data).toMatchObject({ issue_id: id, count: 1, status: 'open' });
    await put(failure('AError'), failure('AError'));
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: id, count: 3 });
    await act(id, { action: 'resolve' });
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: id, status: 'resolved' });
    await put(failure('AError'));
    expect((await stream.next('issue.regressed')).data).toMatchObject({
      issue_id: id,
      status: 'open',
      regressed: true,
    });
    await put(failure('AError'));
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: id, count: 5, regressed: true });
    expect(stream.events.map(({ name }) => name)).toEqual([
      'issue.new',
      'issue.changed',
      'issue.changed',
      'issue.regressed',
      'issue.changed',
    ]);
  });

  it('continues after the last id, with each changed issue once in its latest state, also across a restart', async () => {
    const directory = await temporaryFolder();
    const first = await startStream(directory);
    const stream = await open(first.url);
    const [a, b] = await first.put(failure('AError'), failure('BError'));
    await stream.next('issue.new', ({ issue_id }) => issue_id === b);
    await waitFor('both', () => stream.events.length === 2);
    const { lastId } = stream;
    stream.close();
    await first.put(failure('AError'));
    await first.put(failure('AError'), failure('CError'));
    await first.act(b, { action: 'assign', assignee: 'anna' });
    const again = await open(first.url, lastId);
    await waitFor('all', () => again.events.length === 3);
    const names = again.events.map(({ name, data }) => [name, data.error_name, data.count, data.assignee]);
    expect(names).toEqual(
      expect.arrayContaining([
        ['issue.changed', 'AError', 3, null],
        ['issue.new', 'CError', 1, null],
        ['issue.changed', 'BError', 1, 'anna'],
      ]),
    );
    const { lastId: caughtUp } = again;
    await first.stop();
    expect(again.isEnded).toBe(true);

    const second = await startStream(directory);
    const resumed = await open(second.url, caughtUp);
    await second.put(failure('AError'));
    expect((await resumed.next('issue.changed')).data).toMatchObject({ issue_id: a, count: 4 });
    expect(resumed.events).toHaveLength(1);
    // A client that reconnects gets the remaining changes, each once.
    const middle = again.events[0]?.id ?? '';
    const rest = await open(`${second.url}?last_event_id=${middle}`);
    await rest.next('issue.changed', ({ issue_id }) => issue_id === b);
    expect(rest.events.some(({ data }) => data.error_name === 'BError')).toBe(true);
  });

  it('sends a missed regression once', async () => {
    const directory = await temporaryFolder();
    const { url, put, act } = await startStream(directory);
    const [id] = await put(failure('AError'));
    await act(id, { action: 'resolve' });
    const stream = await open(url);
    const { lastId } = stream;
    await put(failure('AError'));
    await stream.next('issue.regressed');
    const again = await open(url, lastId);
    await again.next('issue.regressed');
    await put(failure('AError'));
    const later = await open(url, again.lastId);
    expect((await later.next('issue.changed')).data).toMatchObject({ regressed: true, count: 3 });
    expect(later.events).toHaveLength(1);
  });

  it('sends merged issues as their group, and split ones again as separate issues', async () => {
    const { url, put, act } = await startStream(await temporaryFolder());
    const [a, b] = await put(failure('AError'), failure('BError'));
    if (a === undefined || b === undefined) throw new Error('nothing was stored');
    const stream = await open(url);
    await act(a, { action: 'merge', issues: [b] });
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: a, count: 2, merged: [b] });
    await put(failure('BError'));
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: a, count: 3 });
    await act(a, { action: 'undo' });
    expect((await stream.next('issue.changed', ({ issue_id }) => issue_id === b)).data).toMatchObject({ count: 2 });
    expect(stream.events.filter(({ data }) => data.issue_id === a).at(-1)?.data).toMatchObject({
      count: 1,
      merged: [],
    });
  });

  it('sends only what matches the query, and explains an invalid query', async () => {
    const { url, put } = await startStream(await temporaryFolder());
    const stream = await open(`${url}?query=${encodeURIComponent('service:worker BError')}`);
    await put(failure('AError'), failure('BError'), failure('BError', { service: 'worker' }));
    expect((await stream.next('issue.new')).data).toMatchObject({ error_name: 'BError', service: 'worker' });
    expect(stream.events).toHaveLength(1);
    const wrong = await fetch(`${url}?query=${encodeURIComponent('a (b')}`);
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ code: 'QUERY_INVALID', parameter: 'query', column: expect.any(Number) });
  });

  it('refuses an invalid id, and starts over if it cannot resume from one', async () => {
    const { url, put } = await startStream(await temporaryFolder());
    const wrong = await fetch(url, { headers: { 'last-event-id': 'nonsense' } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ code: 'CURSOR_INVALID', parameter: 'last_event_id' });
    const other = await startStream(await temporaryFolder());
    await other.put(failure('AError'));
    const { lastId } = await open(other.url);
    const stream = await open(url, lastId);
    await stream.next('reset');
    await put(failure('AError'));
    await stream.next('issue.new');
  });

  it('sends comments while nothing changes, and refuses pages of other origins', async () => {
    const { url } = await startStream(await temporaryFolder(), { heartbeatMs: 5 });
    const stream = await open(url);
    await waitFor('heartbeats', () => stream.comments.length >= 3);
    const foreign = await fetch(url, { headers: { origin: 'http://evil.example' } });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' });
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});
