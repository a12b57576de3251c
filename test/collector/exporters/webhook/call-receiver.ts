import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call that came. */
export interface Came {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of several forms, and fail where they are others.
  readonly body: any;
}

/** Somebody who is called, on a free port. */
export interface CallReceiver {
  readonly url: string;
  readonly port: number;
  /** Everything that came, whatever the answer was. */
  readonly came: Came[];
  /** What the nth call is answered with, from 0; default 200. `undefined`: never. */
  answer: (nth: number) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
  close(): Promise<void>;
}

const opened: CallReceiver[] = [];

/** Starts one; `closeReceivers` ends it after the test. */
export async function startReceiver(port = 0): Promise<CallReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      receiver.came.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) });
      const how = receiver.answer(receiver.came.length - 1);
      if (how !== undefined) response.writeHead(how.status, how.headers).end(how.body);
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  const receiver: CallReceiver = {
    url: `http://127.0.0.1:${bound}/hook/s3cret`,
    port: bound,
    came: [],
    answer: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  opened.push(receiver);
  return receiver;
}

export async function closeReceivers(): Promise<void> {
  await Promise.all(opened.splice(0).map((receiver) => receiver.close()));
}
