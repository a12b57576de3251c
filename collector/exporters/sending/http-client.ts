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

const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 4;

interface NoResponse {
  readonly error: unknown;
  /** Whether a reused connection ended before the response began. */
  readonly isReused: boolean;
}

type ClientSettings = Pick<WebhookExporterSettings, 'headers' | 'timeout' | 'tls'>;

/** POSTs to one URL over keep-alive connections. Does not follow redirects, because they would send events to another server. */
export class HttpClient {
  readonly #url: URL;
  readonly #headers: HeadersSettings;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent;
  readonly #lookup: LookupFunction | undefined;

  private constructor(url: URL, settings: ClientSettings, agent: HttpAgent, lookup: LookupFunction | undefined) {
    this.#url = url;
    this.#headers = settings.headers;
    this.#timeoutMs = parseDuration(settings.timeout);
    this.#agent = agent;
    this.#lookup = lookup;
  }

  /** Loads TLS files and builds the client of an exporter. Fault `TLS_UNREADABLE` names the setting. `lookup`: default the system's resolver. */
  static async open(id: string, settings: ClientSettings, url: URL, lookup?: LookupFunction): Promise<HttpClient> {
    const tls = await loadClientTls(`exporters.${id}.tls`, settings.tls);
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    const agent = url.protocol === 'https:' ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
    return new HttpClient(url, settings, agent, lookup);
  }

  /** Rejects with Fault `SEND_FAILED`, retryable, if the server does not respond; the message contains no event data. */
  async post(body: Uint8Array, headers: HeadersSettings, signal: AbortSignal): Promise<HttpResponse> {
    const first = await this.#postOnce(body, headers, signal);
    if ('status' in first) return first;
    // Keep-alive race: the server closed an idle connection. Retry once.
    const isStale = first.isReused && hasCode(first.error, 'ECONNRESET', 'EPIPE');
    if (!isStale || signal.aborted) throw sendFailed(this.#url, first.error);
    const second = await this.#postOnce(body, headers, signal);
    if ('status' in second) return second;
    throw sendFailed(this.#url, second.error);
  }

  /** Closes the connections; idempotent. */
  close(): void {
    this.#agent.destroy();
  }

  /** Never rejects. */
  async #postOnce(body: Uint8Array, headers: HeadersSettings, signal: AbortSignal): Promise<HttpResponse | NoResponse> {
    try {
      return await this.#request(body, headers, signal);
    } catch (error) {
      return { error, isReused: false };
    }
  }

  #request(body: Uint8Array, headers: HeadersSettings, signal: AbortSignal): Promise<HttpResponse | NoResponse> {
    return new Promise((resolve) => {
      const request = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
      const sent = request(this.#url, {
        method: 'POST',
        agent: this.#agent,
        headers: mergeHeaders(headers, { 'content-length': String(body.length) }, this.#headers),
        ...(this.#lookup && { lookup: this.#lookup }),
      });
      const disarm = destroyOnTimeout(sent, this.#timeoutMs, signal);
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
  }
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
