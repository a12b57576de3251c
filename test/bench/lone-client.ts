import { connect } from 'node:net';

/** One kept connection on which prepared bytes are sent, so that what is measured is the server and not an HTTP client. */
export interface LoneClient {
  /** Milliseconds from the write to the last byte of the answer; one call at a time. The answer must name its length; rejects unless it is a 200. */
  post(body: Buffer): Promise<number>;
  close(): void;
}

const END_OF_HEAD = '\r\n\r\n';

/** Connects to the address of a collector's ingest endpoint, with its path. */
export async function openLoneClient(url: string): Promise<LoneClient> {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const head = [
          `POST ${pathname} HTTP/1.1`,
          `host: ${host}`,
          'content-type: application/json',
          `content-length: ${body.length}`,
        ].join('\r\n');
        const request = Buffer.concat([Buffer.from(head + END_OF_HEAD, 'latin1'), body]);
        let answer = '';
        const settle = (error?: Error): void => {
          const ms = performance.now() - began;
          socket.off('data', onData).off('close', onClose);
          if (error === undefined) resolve(ms);
          else reject(error);
        };
        const onData = (chunk: Buffer): void => {
          answer += chunk.toString('latin1');
          const end = answerEnd(answer);
          if (end === undefined || answer.length < end) return;
          settle(answer.startsWith('HTTP/1.1 200 ') ? undefined : new Error(`${url} answered ${answer}`));
        };
        const onClose = (): void => settle(new Error(`${url} closed the connection`));
        socket.on('data', onData).once('close', onClose);
        const began = performance.now();
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** Length of the whole answer, once its head is there. */
function answerEnd(answer: string): number | undefined {
  const head = answer.indexOf(END_OF_HEAD);
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, head))?.[1];
  return head + END_OF_HEAD.length + Number(length ?? 0);
}
