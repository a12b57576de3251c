import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Fault } from '../../../core/event/fault.js';
import { answerInvalid, type JsonAnswer } from './answer-fault.js';
import type { CollectorToken } from './collector-token.js';

export interface JsonClientOptions {
  /** Base address; paths are appended to it. */
  base: URL;
  /** Sent with every call, to `base` alone: redirects are not followed. Read again, and sent once more, where it is not taken. Absent: none is sent. */
  token?: CollectorToken | undefined;
  /** Milliseconds without a byte from the collector after which a call fails, default 10,000. */
  timeoutMs?: number | undefined;
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
/** Of one answer. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Calls that run at the same time; more wait. */
const MAX_SOCKETS = 8;

const UNAUTHORIZED = 401;

/** What tells one kind of call from others. */
interface Calling {
  readonly agent: HttpAgent | HttpsAgent;
  readonly method?: string;
  /** Headers beyond those of every call. */
  readonly others?: object;
}

/** What OpenSSL and Node.js say of a certificate that does not hold; X509_verify_cert_error codes and Node's own. */
const CERTIFICATE_CODE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT)_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|ERR_TLS_CERT_ALTNAME_INVALID$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$)/;
const WANTED = /certificate required|bad certificate|handshake failure/i;

/** Makes a client; nothing is connected before the first call. */
export function createJsonClient({ base, token, timeoutMs = TIMEOUT_MS }: JsonClientOptions): JsonClient {
  const isTls = base.protocol === 'https:';
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const postAgent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: false, maxSockets: MAX_SOCKETS });
  const send = isTls ? httpsRequest : httpRequest;
  const root = base.href.replace(/\/+$/, '');

  const headersWith = (shown: string | undefined, others: object = {}): object => ({
    accept: 'application/json',
    ...(shown !== undefined && { authorization: `Bearer ${shown}` }),
    ...others,
  });

  function unreachable(cause: Error): Fault {
    return new Fault(
      'COLLECTOR_UNREACHABLE',
      `No collector answers at ${base.origin} (${wordsOf(cause)}). Start one with \`faultline collect\`, or name another with --url.`,
      { cause, retryable: true },
    );
  }

  /** Who answers that a token is wrong did nothing: also what is sent once may be sent again with another. */
  async function callWithToken(path: string, calling: Calling, body?: string): Promise<JsonAnswer> {
    const { others, ...options } = calling;
    const shown = token?.value;
    const answer = await call(path, { ...options, headers: headersWith(shown, others) }, body);
    if (answer.status !== UNAUTHORIZED || token === undefined) return answer;
    const renewed = await token.renew();
    if (renewed === shown) return answer;
    return await call(path, { ...options, headers: headersWith(renewed, others) }, body);
  }

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
        readBody(response, base.origin).then(
          (text) => resolve({ status: response.statusCode ?? 0, body: parseJson(text) }),
          fail,
        );
      });
      request.end(body);
    });
  }

  return {
    get: (path) => callWithToken(path, { agent }),
    post: (path, body) => {
      const text = JSON.stringify(body);
      const others = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      return callWithToken(path, { agent: postAgent, method: 'POST', others }, text);
    },
    delete: (path) => callWithToken(path, { agent: postAgent, method: 'DELETE' }),
    close: () => {
      agent.destroy();
      postAgent.destroy();
    },
  };
}

async function readBody(response: IncomingMessage, where: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) throw answerInvalid(where, `more than ${MAX_ANSWER_BYTES} bytes`);
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

/** The fault of a connection that failed at a certificate; undefined where that was not why. */
function certificateFault(cause: Error, where: string): Fault | undefined {
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    const sentence = `The certificate of ${where} is for another name (${cause.message}). Call the collector by a name of its certificate.`;
    return new Fault('CERTIFICATE_UNTRUSTED', sentence, { cause });
  }
  if (CERTIFICATE_CODE.test(code)) {
    const sentence = `The certificate of ${where} is not trusted (${code}). Name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem faultline …`;
    return new Fault('CERTIFICATE_UNTRUSTED', sentence, { cause });
  }
  if (code.startsWith('ERR_SSL_') && WANTED.test(cause.message)) {
    const sentence = `The collector at ${where} wants a certificate of its clients, which this command cannot show: read through an endpoint without client_ca_file.`;
    return new Fault('CERTIFICATE_WANTED', sentence, { cause });
  }
  return undefined;
}
