import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { postEvents } from '../../../collector/commands/post-events.js';
import { collectChanges } from '../../../collector/mcp/collect-changes.js';
import { isCollector } from '../../../collector/run/running-collector.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import { waitFor } from '../../helpers/wait-for.js';

const MIB = 1024 * 1024;
const MAX_ANSWER_BYTES = 32 * MIB;
/** What the system buffers of a connection that nobody reads. */
const SYSTEM_BYTES = 16 * MIB;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const BOMB = gzipSync(Buffer.alloc(100 * MIB, ' '));

interface LyingServer {
  readonly url: string;
  readonly sockets: Socket[];
}

const servers: Server[] = [];
const sockets: Socket[] = [];
const readers: Pick<FailureReader, 'close'>[] = [];

afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that answers each connection by a function of its socket. */
async function serve(answer: (socket: Socket) => void): Promise<LyingServer> {
  const own: Socket[] = [];
  const server = createServer((socket) => {
    own.push(socket);
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${Object(server.address()).port}`, sockets: own };
}

function open(url: string, maxMs?: number) {
  const reader = createHttpReader({ url, ...(maxMs !== undefined && { maxMs }) });
  readers.push(reader);
  return reader;
}

/** Writes pieces until the other side closes the connection. */
function writeUntilClosed(socket: Socket, piece: string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  write();
}

const faultOf = (call: Promise<unknown>): Promise<Fault> =>
  call.then(
    () => new Fault('NO_FAULT', ''),
    (error: Fault) => error,
  );

describe('a reader of a server that lies', () => {
  it.each([
    ['says no length', ''],
    ['says a length', `content-length: ${100 * MIB}\r\n`],
  ])('takes at most 32 MiB of an answer that %s', async (_, length) => {
    const { url, sockets: own } = await serve((socket) => {
      socket.write(`${HEAD}${length}\r\n`);
      writeUntilClosed(socket, ' '.repeat(MIB));
    });
    expect((await faultOf(open(url).stats())).code).toBe('COLLECTOR_ANSWER_TOO_LARGE');
    await waitFor('the end of the connection', () => own[0]?.destroyed);
    expect(own[0]?.bytesWritten).toBeLessThan(MAX_ANSWER_BYTES + SYSTEM_BYTES);
  });

  it.each([
    ['members', `[${'{},'.repeat(600_000)}{}]`],
    ['levels', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
  ])('does not parse an answer with too many %s', async (_, body) => {
    const { url } = await serve((socket) => socket.end(`${HEAD}content-length: ${body.length}\r\n\r\n${body}`));
    expect((await faultOf(open(url).stats())).code).toBe('COLLECTOR_ANSWER_TOO_LARGE');
  });

  it('does not decompress an answer', async () => {
    const { url } = await serve((socket) => {
      socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.end(BOMB);
    });
    expect((await faultOf(open(url).stats())).code).toBe('COLLECTOR_ANSWER_INVALID');
  });

  it.each([
    ['a body', `${HEAD}\r\n`, ' '],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'a'],
    ['interim answers', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('ends a call whose answer is %s that trickle', async (_, begin, piece) => {
    const { url, sockets: own } = await serve((socket) => {
      socket.write(begin);
      const timer = setInterval(() => socket.write(piece), 10);
      socket.once('close', () => clearInterval(timer));
    });
    expect((await faultOf(open(url, 200).stats())).code).toBe('COLLECTOR_UNREACHABLE');
    await waitFor('the end of the connection', () => own[0]?.destroyed);
  });

  it('does not read headers without an end', async () => {
    const { url, sockets: own } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeUntilClosed(socket, `a: ${'b'.repeat(1_000)}\r\n`);
    });
    expect((await faultOf(open(url).stats())).code).toBe('COLLECTOR_UNREACHABLE');
    await waitFor('the end of the connection', () => own[0]?.destroyed);
  });

  it('reads large answers one after the other, and all of them', async () => {
    const body = JSON.stringify({ actions: true, _: 'x'.repeat(3 * MIB) });
    const { url } = await serve((socket) => socket.end(`${HEAD}content-length: ${body.length}\r\n\r\n${body}`));
    const answers = await Promise.all([1, 2, 3].map(() => faultOf(open(url).access())));
    expect(answers.map(({ code }) => code)).toEqual(['NO_FAULT', 'NO_FAULT', 'NO_FAULT']);
  });

  it.each([
    ['a line', 'x'.repeat(MIB)],
    ['an event', `data: ${'x'.repeat(1_000)}\n`],
  ])('ends a stream with %s without an end', async (_, piece) => {
    const { url, sockets: own } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
      writeUntilClosed(socket, piece);
    });
    const reader = open(url);
    const options = { query: '', limit: 1, waitMs: 0, signal: new AbortController().signal };
    expect((await faultOf(collectChanges(reader, options))).code).toBe('COLLECTOR_ANSWER_INVALID');
    await waitFor('the end of the connection', () => own[0]?.destroyed);
    expect(own[0]?.bytesWritten).toBeLessThan(MIB + SYSTEM_BYTES);
  });

  it('reads an event whose characters come one by one', async () => {
    const { url } = await serve((socket) => {
      socket.setNoDelay(true);
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
      let rest = ': here\n\nid: first\n\nid: second\n\n';
      const timer = setInterval(() => {
        socket.write(rest.slice(0, 1));
        rest = rest.slice(1);
        if (rest === '') clearInterval(timer);
      });
    });
    const cursors: string[] = [];
    for await (const { cursor } of open(url).changes()) {
      cursors.push(cursor);
      if (cursors.length === 2) break;
    }
    expect(cursors).toEqual(['first', 'second']);
  });

  it('quotes the beginning of what it says', async () => {
    const body = JSON.stringify({ code: 'STORE_CLOSING', detail: 'x'.repeat(MIB) });
    const head = 'HTTP/1.1 503 No\r\ncontent-type: application/problem+json\r\n';
    const { url } = await serve((socket) => socket.end(`${head}content-length: ${body.length}\r\n\r\n${body}`));
    const { code, message } = await faultOf(open(url).stats());
    expect(code).toBe('STORE_CLOSING');
    expect(message.length).toBeLessThan(1_000);
  });
});

describe('a sender to a server that lies', () => {
  const bomb = (socket: Socket): void => {
    socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
    socket.write(BOMB);
  };

  it('decompresses at most 32 MiB of a receipt', async () => {
    const { url } = await serve(bomb);
    const { refusal } = await postEvents(`${url}/v1/events`, undefined, [{ text: '{}' }]);
    expect(refusal).toContain('has more than 32 MiB');
  });

  it('takes at most 32 MiB of a receipt without an end', async () => {
    const { url, sockets: own } = await serve((socket) => {
      socket.write(`${HEAD}\r\n`);
      writeUntilClosed(socket, ' '.repeat(MIB));
    });
    const { refusal } = await postEvents(`${url}/v1/events`, undefined, [{ text: '{}' }]);
    expect(refusal).toContain('has more than 32 MiB');
    await waitFor('the end of the connection', () => own[0]?.destroyed);
    expect(own[0]?.bytesWritten).toBeLessThan(MAX_ANSWER_BYTES + SYSTEM_BYTES);
  });

  it('does not take it for a collector', async () => {
    const { url } = await serve(bomb);
    expect(await isCollector(url, undefined)).toBe(false);
  });
});
