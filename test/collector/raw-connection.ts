import { connect, type Socket } from 'node:net';

/** A bare TCP connection, for bytes that an HTTP client would not send. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string | Uint8Array): void;
  /** Resolves with everything received, as soon as it matches; rejects if the connection ends before that. */
  receive(pattern: RegExp): Promise<string>;
  /** Resolves with everything received until the other side closed or reset the connection. */
  untilClosed(): Promise<string>;
}

export async function openRawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host, allowHalfOpen: true });
  let received = '';
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const check of waiting) check();
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    notify();
  });
  socket.on('error', () => {});
  let isClosed = false;
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    isClosed = true;
    notify();
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

/** The bytes of a POST to `/v1/events`. */
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
