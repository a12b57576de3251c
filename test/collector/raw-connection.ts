import { connect, type Socket } from 'node:net';

/** A bare TCP connection, for what no HTTP client would send. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string | Uint8Array): void;
  /** Everything received, as soon as it matches. Rejects when the connection ends before. */
  receive(pattern: RegExp): Promise<string>;
  /** Everything received until the other side closed, reset included. */
  untilClosed(): Promise<string>;
}

export async function openRawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host, allowHalfOpen: true });
  let received = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  let isClosed = false;
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });

  const until = (isDone: () => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = () => {
        if (isDone()) resolve(received);
        else if (isClosed) reject(new Error(`closed after ${JSON.stringify(received)}`));
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });

  return {
    socket,
    write: (text) => void socket.write(text),
    receive: (pattern) => until(() => pattern.test(received)),
    untilClosed: () => until(() => isClosed),
  };
}

/** The bytes of one POST to `/v1/events`. */
export function rawPost(body: string, headers: readonly string[] = []): string {
  return [
    'POST /v1/events HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}
