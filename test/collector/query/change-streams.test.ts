import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ChangeStreams } from '../../../collector/query/change-streams.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import type { IssueChange } from '../../../core/contract/reader.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { waitFor } from '../../helpers/wait-for.js';

const CLIENTS = 20;
const MAX_WAITING_BYTES = 64 * 1024;
/** Of one write, whose last event may be above it. */
const WRITE_BYTES = 2 * 16 * 1024;

describe('streams whose clients never read', () => {
  it('hold a bounded number of bytes, are dropped and counted, and end the feed', async () => {
    const issue = { title: 't'.repeat(8_000) } as IssueSummary;
    const change: IssueChange = { kind: 'changed', issue, cursor: 'c' };
    const meters = new Meters();
    let [running, mostWaiting] = [0, 0];
    const responses: ServerResponse[] = [];
    async function* changes() {
      running += 1;
      try {
        for (;;) {
          await new Promise(setImmediate);
          mostWaiting = Math.max(mostWaiting, ...responses.map(({ writableLength }) => writableLength));
          yield change;
        }
      } finally {
        running -= 1;
      }
    }
    const streams = new ChangeStreams({ feed: () => ({ changes }), component: 'query', meters, patienceMs: 1 });
    const server = createServer((request, response) => {
      responses.push(response);
      void streams.serve(request, response, {});
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const sockets: Socket[] = [];
    for (let n = 0; n < CLIENTS; n += 1) {
      const socket = connect(Object(server.address()).port, '127.0.0.1').pause();
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
      sockets.push(socket);
    }
    await waitFor('all to be dropped', () => meters.samples('faultline_query_dropped_streams')[0]?.value === CLIENTS);
    await waitFor('the end of the feeds', () => running === 0);
    expect(mostWaiting).toBeGreaterThan(0);
    expect(mostWaiting).toBeLessThan(MAX_WAITING_BYTES + WRITE_BYTES);
    expect(meters.samples('faultline_query_streams')[0]?.value).toBe(0);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
