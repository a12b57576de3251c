import { Agent as HttpAgent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Fault, messageOf } from '../event/fault.js';
import type { CollectorToken } from './collector-token.js';
import { readJsonAnswer } from './read-answer.js';
import type { JsonResponse } from './response-faults.js';

/** Base path of the reading API. */
export const API = '/api/v1';

export interface JsonClientOptions {
  /** Paths are appended to it. */
  base: URL;
  /** Sent to `base` only; redirects are not followed. After a 401 it is reloaded and the call is repeated once. */
  token?: CollectorToken | undefined;
  /** Milliseconds without a byte from the collector after which a call fails, default 10,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds from a call to the end of its answer, however slowly that comes, default 60,000; of a stream to its headers. */
  maxMs?: number | undefined;
  /** Sent with every call. Default none. */
  headers?: Readonly<Record<string, string>> | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_CALL_MS = 60_000;
/** The collector sends something every 15 seconds. */
const STREAM_TIMEOUT_MS = 45_000;
/** Concurrent calls; further calls wait. */
const MAX_SOCKETS = 8;

const UNAUTHORIZED = 401;

interface CallOptions {
  readonly agent: HttpAgent | HttpsAgent;
  readonly method?: string;
  /** In addition to `accept` and `authorization`. */
  readonly headers?: OutgoingHttpHeaders;
  readonly signal?: AbortSignal;
  /** Default that of the client. */
  readonly timeout?: number;
  readonly isStream?: boolean;
}

/** Codes of OpenSSL (X509_verify_cert_error) and Node.js for a certificate that fails verification. */
const CERTIFICATE_CODE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT)_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|ERR_TLS_CERT_ALTNAME_INVALID$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$)/;
const CLIENT_CERTIFICATE_REQUIRED = /certificate required|bad certificate|handshake failure/i;

/**
 * An HTTP client for JSON, which connects at the first call. `get` reuses connections; `post` and `delete` open one per call, so that a
 * keep-alive race never makes them run twice. Throws `COLLECTOR_UNREACHABLE` (retryable), `CERTIFICATE_UNTRUSTED`, `CERTIFICATE_WANTED`, and
 * `COLLECTOR_ANSWER_TOO_LARGE`. Bodies are not decompressed, because no collector compresses them.
 */
export class JsonClient {
  readonly #options: JsonClientOptions;
  readonly #origin: string;
  readonly #root: string;
  readonly #timeoutMs: number;
  readonly #maxMs: number;
  readonly #send: typeof httpRequest;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #singleUseAgent: HttpAgent | HttpsAgent;

  constructor(options: JsonClientOptions) {
    const { base, timeoutMs = TIMEOUT_MS, maxMs = MAX_CALL_MS } = options;
    const isTls = base.protocol === 'https:';
    const Agent = isTls ? HttpsAgent : HttpAgent;
    this.#options = options;
    this.#origin = base.origin;
    this.#root = base.href.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#maxMs = maxMs;
    this.#send = isTls ? httpsRequest : httpRequest;
    this.#agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
    this.#singleUseAgent = new Agent({ keepAlive: false, maxSockets: MAX_SOCKETS });
  }

  get(path: string): Promise<JsonResponse> {
    return this.#callWithToken(path, { agent: this.#agent });
  }

  /** The response is read by the caller, until `signal` or either side ends it. */
  stream(path: string, signal: AbortSignal): Promise<JsonResponse> {
    const agent = this.#singleUseAgent;
    return this.#callWithToken(path, { agent, signal, timeout: STREAM_TIMEOUT_MS, isStream: true });
  }

  post(path: string, body: object): Promise<JsonResponse> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    return this.#callWithToken(path, { agent: this.#singleUseAgent, method: 'POST', headers }, text);
  }

  delete(path: string): Promise<JsonResponse> {
    return this.#callWithToken(path, { agent: this.#singleUseAgent, method: 'DELETE' });
  }

  /** Aborts calls in flight; safe twice. */
  close(): void {
    this.#agent.destroy();
    this.#singleUseAgent.destroy();
  }

  /** A 401 means that nothing was done, so that a `post` may be repeated with another token. */
  async #callWithToken(path: string, options: CallOptions, body?: string): Promise<JsonResponse> {
    const { token } = this.#options;
    const sentToken = token?.value;
    const response = await this.#call(path, this.#withHeaders(options, sentToken), body);
    if (response.status !== UNAUTHORIZED || token === undefined) return response;
    const reloaded = await token.reload();
    if (reloaded === sentToken) return response;
    return await this.#call(path, this.#withHeaders(options, reloaded), body);
  }

  #withHeaders(options: CallOptions, token: string | undefined): CallOptions {
    const headers = {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...this.#options.headers,
      ...options.headers,
    };
    return { ...options, headers };
  }

  #call(path: string, options: CallOptions, body?: string, isRetry = false): Promise<JsonResponse> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(error instanceof Fault ? error : (certificateFault(error, this.#origin) ?? this.#unreachable(error)));
      };
      const request = this.#send(`${this.#root}${path}`, { timeout: this.#timeoutMs, ...options });
      const timer = setTimeout(() => {
        isOver = true;
        request.destroy();
        fail(new Error(`no whole answer within ${this.#maxMs} ms`));
      }, this.#maxMs);
      request.on('timeout', () => request.destroy(new Error(`no data for ${options.timeout ?? this.#timeoutMs} ms`)));
      request.on('error', (error) => {
        // Keep-alive race: the collector closed the idle connection. Retry once.
        if (!request.reusedSocket || isRetry || isOver) return fail(error);
        clearTimeout(timer);
        resolve(this.#call(path, options, body, true));
      });
      request.on('response', (response) => {
        if (options.isStream === true && response.statusCode === 200) {
          clearTimeout(timer);
          resolve({ status: 200, body: undefined, stream: response });
          return;
        }
        readJsonAnswer(response, this.#origin).then((answer) => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, body: answer });
        }, fail);
      });
      request.end(body);
    });
  }

  #unreachable(cause: Error): Fault {
    return new Fault(
      'COLLECTOR_UNREACHABLE',
      `No collector at ${this.#origin} (${describeCause(cause)}). Start one with faultline collect, or set --url.`,
      { cause, retryable: true },
    );
  }
}

/** An AggregateError (several addresses of one host) has no message of its own. */
function describeCause(cause: Error): string {
  const causes = cause instanceof AggregateError ? cause.errors : [cause];
  const texts = causes.map(messageOf);
  return texts.every((text) => text.includes('ECONNREFUSED')) ? 'connection refused' : texts.join('; ');
}

/** Returns the fault for a certificate error; undefined for other errors. */
function certificateFault(cause: Error, where: string): Fault | undefined {
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    const sentence = `The certificate of ${where} is for another name (${cause.message}).`;
    return new Fault('CERTIFICATE_UNTRUSTED', sentence, { cause });
  }
  if (CERTIFICATE_CODE.test(code)) {
    const sentence = `The certificate of ${where} is not trusted (${code}). Name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem faultline …`;
    return new Fault('CERTIFICATE_UNTRUSTED', sentence, { cause });
  }
  if (code.startsWith('ERR_SSL_') && CLIENT_CERTIFICATE_REQUIRED.test(cause.message)) {
    const sentence = `The collector at ${where} requires a client certificate, which this command cannot send: use an endpoint without client_ca_file.`;
    return new Fault('CERTIFICATE_WANTED', sentence, { cause });
  }
  return undefined;
}
