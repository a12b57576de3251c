import { connect } from 'node:net';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

import { failure, open, startStream, stopStreams } from './running-stream.js';

afterEach(stopStreams);
afterAll(removeTemporaryFolders);

describe('GET /stream', () => {
  it('disconnects a client that does not read, with a comment, and serves the others', async () => {
    const { url, port, put, ended, meters } = await startStream(await temporaryFolder(), {
      maxWaitingBytes: 16 * 1024,
      patienceMs: 20,
    });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const reader = await open(url);
    const wide = Array.from({ length: 240 }, (_, n) => failure(`Wide${n}`, { message: 'm'.repeat(500) }));
    const releases = Array.from({ length: 30 }, (_, n) => `${n}-${'r'.repeat(190)}`);
    await put(...wide.flatMap((payload) => releases.map((release) => ({ ...payload, release }))));
    // Fills the buffers of the system.
    await waitFor('the end of the one that does not read', async () => {
      await put(...wide);
      return ended() === 1;
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.resume();
    await waitFor('the mark and the end', () => text.includes('event: dropped') && text.endsWith('0\r\n\r\n'));
    socket.destroy();
    expect([reader.isEnded, ended()]).toEqual([false, 1]);
    expect(new Set(reader.events.map(({ data }) => data.issue_id)).size).toBe(240);
    expect(meters.samples('faultline_query_dropped_streams')[0]?.value).toBe(1);
    // It connects again and misses nothing.
    const [, lastId = ''] = /.*\nid: (\S+)/s.exec(text) ?? [];
    const again = await open(url, lastId);
    await put(failure('Later'));
    expect((await again.next('issue.new')).data).toMatchObject({ error_name: 'Later' });
    expect(again.events.some(({ name }) => name === 'reset')).toBe(false);
  });

  it('describes and serializes each change once for all streams, and lets the event loop turn in between', async () => {
    let serialized = 0;
    const issues = new Set<object>();
    const turns = new Set<number>();
    let turn = 0;
    const { url, put } = await startStream(await temporaryFolder(), {}, ({ issue }) => {
      turns.add(turn);
      if (issues.has(issue)) return;
      issues.add(issue);
      const toJSON = () => {
        serialized += 1;
        return { ...issue };
      };
      Object.defineProperty(issue, 'toJSON', { value: toJSON });
    });
    const all = await Promise.all(Array.from({ length: 40 }, () => open(url)));
    const turning = setInterval(() => {
      turn += 1;
    });
    await put(...Array.from({ length: 200 }, (_, n) => failure(`New${n}`)));
    await waitFor('all changes in all streams', () => all.every(({ events }) => events.length === 200));
    clearInterval(turning);
    expect([issues.size, serialized]).toEqual([200, 200]);
    expect(turns.size).toBeGreaterThan(1);
  });

  it('has a limit of a hundred open streams, and counts the refused ones', async () => {
    const { url, meters } = await startStream(await temporaryFolder());
    const first = await open(url);
    for (let n = 1; n < 100; n += 1) await open(url);
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_STREAMS' });
    const labels = { component: 'query' };
    expect(meters.samples('faultline_query_refused_streams')).toEqual([{ labels, value: 1 }]);
    expect(meters.samples('faultline_query_streams')).toEqual([{ labels, value: 100 }]);
    first.close();
    await waitFor('room again', async () => (await open(url)).status === 200);
  });
});
