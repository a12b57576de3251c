import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { parseDuration } from '../../../config/values/duration.js';
import { Fault } from '../../../core/event/fault.js';
import { hasCode } from '../../../core/storage/files/system-error.js';
import type { HeadersSettings, TlsClientSettings } from '../../../generated/settings.js';
import { readClientTls } from './client-tls.js';
import { visible } from './visible.js';

/** What the settings of an exporter say of its requests. */
export interface ClientSettings {
  /** They win over what a request adds itself. */
  readonly headers: HeadersSettings;
  /** How long one request may take until its answer is whole, a duration. */
  readonly timeout: string;
  readonly tls: TlsClientSettings;
}

/** The answer of a server, of any status. */
export interface HttpResponse {
  readonly status: number;
  /** By name in lower case. */
  header(name: string): string | undefined;
  /** At most its first 64 KiB. */
  readonly body: Buffer;
}

/** POSTs to one address over connections that are kept. Redirects are not followed: the body would go where nobody wanted it to. */
export interface HttpClient {
  /** Rejects with Fault `SEND_FAILED`, retryable, where no answer came: its sentence is for people and holds nothing of the body. */
  post(body: Uint8Array, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes the connections; safe twice. */
  close(): void;
}

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 4;

/**
 * Reads the TLS files of an exporter and builds its client; nothing is opened before the first request. `lookup` finds the address of the host, default: as
 * the system does; a host that is written as an address is not looked up. Faults: `TLS_UNREADABLE`, which names the setting.
 */
export async function openHttpClient(
  id: string,
  settings: ClientSettings,
  url: URL,
  lookup?: LookupFunction,
): Promise<HttpClient> {
  const tls = await readClientTls(`exporters.${id}.tls`, settings.tls);
  const timeoutMs = parseDuration(settings.timeout);
  const keeping = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ ...keeping, ...tls }) : new HttpAgent(keeping);
  const request = isTls ? requestHttps : requestHttp;

  const once = (body: Uint8Array, headers: Readonly<Record<string, string>>, signal: AbortSignal) =>
    new Promise<HttpResponse>((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        agent,
        headers: merged(headers, { 'content-length': String(body.length) }, settings.headers),
        ...(lookup && { lookup }),
      });
      const stop = guard(sent, timeoutMs, signal);
      let isAnswering = false;
      const fail = (error: unknown): void => {
        stop();
        reject(new NotAnswered(error, sent.reusedSocket && !isAnswering));
      };
      sent.on('error', fail);
      sent.on('response', (response) => {
        isAnswering = true;
        readAnswer(response).then((answer) => {
          stop();
          resolve(answer);
        }, fail);
      });
      sent.end(body);
    });

  return {
    async post(body, headers, signal) {
      for (let isFirst = true; ; isFirst = false) {
        try {
          return await once(body, headers, signal);
        } catch (error) {
          // Keep-alive race: the server closed an idle connection. Retry once.
          const isStale =
            error instanceof NotAnswered && error.isUnheard && hasCode(error.cause, 'ECONNRESET', 'EPIPE');
          if (isFirst && isStale && !signal.aborted) continue;
          throw notSent(url, error);
        }
      }
    },
    close: () => agent.destroy(),
  };
}

class NotAnswered extends Error {
  /** Whether a kept connection ended without a word. */
  readonly isUnheard: boolean;

  constructor(cause: unknown, isUnheard: boolean) {
    super('no answer', { cause });
    this.isUnheard = isUnheard;
  }
}

/** Ends the request when its time is over or nobody waits for it any more; answers what ends the watch. */
function guard(request: ClientRequest, timeoutMs: number, signal: AbortSignal): () => void {
  const abort = (): void => void request.destroy(new Error('it was stopped'));
  const timer = setTimeout(() => request.destroy(new Error(`no answer came within ${timeoutMs} ms`)), timeoutMs);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  };
}

function readAnswer(response: IncomingMessage): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (): void =>
      resolve({
        status: response.statusCode ?? 0,
        header: (name) => {
          const value = response.headers[name];
          return Array.isArray(value) ? value[0] : value;
        },
        body: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES),
      });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= MAX_ANSWER_BYTES) return;
      // The status is what counts; whatever else it has to say would cost memory or time.
      done();
      response.destroy();
    });
    response.on('end', done);
    response.on('error', reject);
    response.on('close', () => reject(new Error('the connection was closed in the middle of the answer')));
  });
}

/** Later ones win, whatever the case of their names. */
function merged(...all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  return Object.fromEntries(
    all.flatMap((headers) => Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );
}

function notSent({ host }: URL, error: unknown): Fault {
  const cause = error instanceof NotAnswered ? error.cause : error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : codeOf(cause);
  return new Fault('SEND_FAILED', `${host} did not answer: ${visible(reason)}`, { cause, retryable: true });
}

/** Of several addresses that all refuse, Node says the code alone. */
function codeOf(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'no reason is known';
}
