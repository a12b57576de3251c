import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Fault } from '../../core/event/fault.js';
import { answerInvalid } from './answer-fault.js';
import { certificateFault } from './certificate-fault.js';

/** An answer's status and its body as JSON; `undefined` where the body is none. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface JsonClientOptions {
  /** Base address; paths are appended to it. */
  base: URL;
  /** Sent with every call, to `base` alone: redirects are not followed. Absent: none is sent. */
  token?: string | undefined;
  /** Milliseconds without a byte from the collector after which a call fails, default 10,000. */
  timeoutMs?: number;
  /** Bytes of one answer, default 256 MiB. */
  maxAnswerBytes?: number;
}

/**
 * Calls over connections that are kept alive, but for `post` and `delete`: a connection of its own cannot be closed by the collector in the moment in which it is used,
 * so nothing is ever sent twice. Faults: `COLLECTOR_UNREACHABLE` (retryable) when no answer arrives, `CERTIFICATE_UNTRUSTED` and `CERTIFICATE_WANTED`,
 * `COLLECTOR_ANSWER_INVALID` when it is too large. `close` cuts what is running and is safe twice.
 */
export interface JsonClient {
  get(path: string): Promise<JsonAnswer>;
  post(path: string, body: object): Promise<JsonAnswer>;
  delete(path: string): Promise<JsonAnswer>;
  close(): void;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Calls that run at the same time; more wait. */
const MAX_SOCKETS = 8;

/** Makes a client; nothing is connected before the first call. */
export function createJsonClient({
  base,
  token,
  timeoutMs = TIMEOUT_MS,
  maxAnswerBytes = MAX_ANSWER_BYTES,
}: JsonClientOptions): JsonClient {
  const isTls = base.protocol === 'https:';
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const postAgent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: false, maxSockets: MAX_SOCKETS });
  const send = isTls ? httpsRequest : httpRequest;
  const root = base.href.replace(/\/+$/, '');

  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { accept: 'application/json', ...authorization };
  const getOptions = { agent, headers };
  const postOptions = (body: string) => ({
    agent: postAgent,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });

  function unreachable(cause: Error): Fault {
    return new Fault(
      'COLLECTOR_UNREACHABLE',
      `No collector answers at ${base.origin} (${wordsOf(cause)}). Start one with \`faultline collect\`, or name another with --url.`,
      { cause, retryable: true },
    );
  }

  const deleteOptions = { agent: postAgent, method: 'DELETE', headers };

  function call(path: string, calling: object, body?: string, isRetry = false): Promise<JsonAnswer> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        reject(error instanceof Fault ? error : (certificateFault(error, base.origin) ?? unreachable(error)));
      };
      const request = send(`${root}${path}`, { ...calling, timeout: timeoutMs });
      request.on('timeout', () => request.destroy(new Error(`silent for ${timeoutMs} ms`)));
      request.on('error', (error) => {
        // The collector may close an idle connection in the moment in which we use it again.
        if (request.reusedSocket && !isRetry) resolve(call(path, calling, body, true));
        else fail(error);
      });
      request.on('response', (response) => {
        readBody(response, maxAnswerBytes, base.origin).then(
          (text) => resolve({ status: response.statusCode ?? 0, body: parseJson(text) }),
          fail,
        );
      });
      request.end(body);
    });
  }

  return {
    get: (path) => call(path, getOptions),
    post: (path, body) => {
      const text = JSON.stringify(body);
      return call(path, postOptions(text), text);
    },
    delete: (path) => call(path, deleteOptions),
    close: () => {
      agent.destroy();
      postAgent.destroy();
    },
  };
}

async function readBody(response: IncomingMessage, maxBytes: number, where: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > maxBytes) throw answerInvalid(where, `more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What went wrong, also for the several addresses of one name, whose error has no words of its own. */
function wordsOf(cause: Error): string {
  const causes = cause instanceof AggregateError ? cause.errors : [cause];
  return causes.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join('; ');
}
