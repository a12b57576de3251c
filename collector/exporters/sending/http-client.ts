import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { parseDuration } from '../../../config/values/duration.js';
import { Fault } from '../../../core/event/fault.js';
import { readBounded } from '../../../core/http-reader/read-answer.js';
import { codeOf, hasCode } from '../../../core/storage/files/system-error.js';
import type { HeadersSettings, WebhookExporterSettings } from '../../../generated/settings.js';
import { loadClientTls } from '../../http/tls/client-tls.js';
import { visible } from './visible.js';

/** A response of any status. */
export interface HttpResponse {
  readonly status: number;
  /** `name` is in lower case. */
  header(name: string): string | undefined;
  /** At most the first 64 KiB. */
  readonly body: Buffer;
}

/** POSTs to one URL over keep-alive connections. Does not follow redirects, because they would send events to another server. */
export type HttpClient = Awaited<ReturnType<typeof openHttpClient>>;

const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 4;

/** Loads TLS files and builds the client of an exporter. Fault `TLS_UNREADABLE` names the setting. `lookup`: default the system's resolver. */
export async function openHttpClient(
  id: string,
  settings: Pick<WebhookExporterSettings, 'headers' | 'timeout' | 'tls'>,
  url: URL,
  lookup?: LookupFunction,
) {
  const tls = await loadClientTls(`exporters.${id}.tls`, settings.tls);
  const timeoutMs = parseDuration(settings.timeout);
  const agentOptions = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ ...agentOptions, ...tls }) : new HttpAgent(agentOptions);
  const request = isTls ? requestHttps : requestHttp;

  const once = (body: Uint8Array, headers: HeadersSettings, signal: AbortSignal) =>
    new Promise<HttpResponse | NoResponse>((resolve) => {
      const sent = request(url, {
        method: 'POST',
        agent,
        headers: mergeHeaders(headers, { 'content-length': String(body.length) }, settings.headers),
        ...(lookup && { lookup }),
      });
      const disarm = destroyOnTimeout(sent, timeoutMs, signal);
      let hasResponse = false;
      const fail = (error: unknown): void => {
        disarm();
        resolve({ error, isReused: sent.reusedSocket && !hasResponse });
      };
      sent.on('error', fail);
      sent.on('response', (message) => {
        hasResponse = true;
        readResponse(message).then((response) => {
          disarm();
          resolve(response);
        }, fail);
      });
      sent.end(body);
    });

  return {
    /** Rejects with Fault `SEND_FAILED`, retryable, if the server does not respond; the message contains no event data. */
    async post(body: Uint8Array, headers: HeadersSettings, signal: AbortSignal): Promise<HttpResponse> {
      for (let isFirst = true; ; isFirst = false) {
        const result = await once(body, headers, signal).catch((error: unknown) => ({ error, isReused: false }));
        if ('status' in result) return result;
        // Keep-alive race: the server closed an idle connection. Retry once.
        const isStale = result.isReused && hasCode(result.error, 'ECONNRESET', 'EPIPE');
        if (!isFirst || !isStale || signal.aborted) throw sendFailed(url, result.error);
      }
    },
    /** Closes the connections; idempotent. */
    close: (): void => void agent.destroy(),
  };
}

interface NoResponse {
  readonly error: unknown;
  /** Whether a reused connection ended before the response began. */
  readonly isReused: boolean;
}

function destroyOnTimeout(request: ClientRequest, timeoutMs: number, signal: AbortSignal): () => void {
  const abort = (): void => void request.destroy(new Error('the request was cancelled'));
  const timer = setTimeout(() => request.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  };
}

async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  const { bytes } = await readBounded(response, MAX_RESPONSE_BYTES);
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body: bytes,
  };
}

/** Merges headers by name in lower case; later ones override. */
function mergeHeaders(...all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  return Object.fromEntries(
    all.flatMap((headers) => Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );
}

function sendFailed({ host }: URL, cause: unknown): Fault {
  // If several addresses refuse, Node sets the code but not the message.
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : (codeOf(cause) ?? 'unknown error');
  return new Fault('SEND_FAILED', `${host} did not answer: ${visible(reason)}`, { cause, retryable: true });
}
