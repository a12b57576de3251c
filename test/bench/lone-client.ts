import { connect } from 'node:net';

/** A keep-alive connection for prepared bytes, which measures the server without the cost of an HTTP client. */
export interface LoneClient {
  /** Resolves to the milliseconds from the write to the last byte of the response; one call at a time. Rejects for other statuses than 200. */
  post(body: Buffer): Promise<number>;
  close(): void;
}

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Connects to the URL of an ingest endpoint. */
export async function openLoneClient(
  url: string,
  headers: readonly string[] = ['content-type: application/json'],
): Promise<LoneClient> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const head = [
          `POST ${pathname}${search} HTTP/1.1`,
          `host: ${host}`,
          ...headers,
          `content-length: ${body.length}`,
        ].join('\r\n');
        const request = Buffer.concat([Buffer.from(head + END_OF_HEAD, 'latin1'), body]);
        let response = '';
        const settle = (error?: Error): void => {
          const ms = performance.now() - began;
          socket.off('data', onData).off('close', onClose);
          if (error === undefined) resolve(ms);
          else reject(error);
        };
        const onData = (chunk: Buffer): void => {
          response += chunk.toString('latin1');
          const length = responseLength(response);
          if (length === undefined || response.length < length) return;
          settle(response.startsWith('HTTP/1.1 200 ') ? undefined : new Error(`${url} returned ${response}`));
        };
        const onClose = (): void => settle(new Error(`${url} closed the connection`));
        socket.on('data', onData).once('close', onClose);
        const began = performance.now();
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** Returns the length of the complete response; undefined until it is known. */
function responseLength(response: string): number | undefined {
  const head = response.indexOf(END_OF_HEAD);
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(response.slice(0, head))?.[1];
  if (length !== undefined) return head + END_OF_HEAD.length + Number(length);
  return response.endsWith(LAST_CHUNK) ? response.length : undefined;
}
