import type { IncomingHttpHeaders } from 'node:http';
import { type BodyServer, openBodyServer } from '../../../helpers/body-server.js';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of several formats.
  readonly body: any;
}

/** A webhook server on a free port. */
export interface CallReceiver extends BodyServer {
  /** All received calls, whatever their response. */
  readonly calls: ReceivedCall[];
  /** Response to the nth call, from 0; default 200. `undefined`: no response. */
  respond: (nth: number) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
}

/** Starts a server; `closeBodyServers` closes it after the test. */
export async function startReceiver(): Promise<CallReceiver> {
  const server = await openBodyServer((bytes, { url = '', headers }, response) => {
    const text = bytes.toString('utf8');
    receiver.calls.push({ path: url, headers, text, body: JSON.parse(text) });
    const how = receiver.respond(receiver.calls.length - 1);
    if (how !== undefined) response.writeHead(how.status, how.headers).end(how.body);
  });
  const receiver: CallReceiver = {
    ...server,
    url: `${server.url}/hook/s3cret`,
    calls: [],
    respond: () => ({ status: 200 }),
  };
  return receiver;
}
