import type { IncomingHttpHeaders } from 'node:http';
import { type BodyServer, openBodyServer } from '../../../helpers/body-server.js';

/** One call that came. */
export interface Came {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of several forms, and fail where they are others.
  readonly body: any;
}

/** Somebody who is called, on a free port. */
export interface CallReceiver extends BodyServer {
  /** Everything that came, whatever the answer was. */
  readonly came: Came[];
  /** What the nth call is answered with, from 0; default 200. `undefined`: never. */
  answer: (nth: number) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
}

/** Starts one; `closeBodyServers` ends it after the test. */
export async function startReceiver(): Promise<CallReceiver> {
  const server = await openBodyServer((bytes, { url = '', headers }, response) => {
    const text = bytes.toString('utf8');
    receiver.came.push({ path: url, headers, text, body: JSON.parse(text) });
    const how = receiver.answer(receiver.came.length - 1);
    if (how !== undefined) response.writeHead(how.status, how.headers).end(how.body);
  });
  const receiver: CallReceiver = {
    ...server,
    url: `${server.url}/hook/s3cret`,
    came: [],
    answer: () => ({ status: 200 }),
  };
  return receiver;
}
