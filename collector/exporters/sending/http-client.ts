import { readFile } from 'node:fs/promises';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { parseDuration } from '../../../config/values/duration.js';
import { Fault, messageOf } from '../../../core/event/fault.js';
import { codeOf, hasCode } from '../../../core/storage/files/system-error.js';
import type { HeadersSettings, TlsClientSettings } from '../../../generated/settings.js';
import { visible } from './visible.js';

/** TLS options for `node:https`. */
type ClientTls = Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & { readonly rejectUnauthorized: boolean };

interface ClientSettings {
  /** They override headers of a request. */
  readonly headers: HeadersSettings;
  /** Bound of a request including its response, a duration. */
  readonly timeout: string;
  readonly tls: TlsClientSettings;
}

/** A response of any status. */
export interface HttpResponse {
  readonly status: number;
  /** `name` is in lower case. */
  header(name: string): string | undefined;
  /** At most the first 64 KiB. */
  readonly body: Buffer;
}

/** POSTs to one URL over keep-alive connections. Does not follow redirects, because they would send events to another server. */
export interface HttpClient {
  /** Rejects with Fault `SEND_FAILED`, retryable, if the server does not respond; the message contains no event data. */
  post(body: Uint8Array, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes the connections; idempotent. */
  close(): void;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 4;

/**
 * Loads the TLS files of an exporter and builds its client, which connects on the first request. `lookup` resolves host names, default: the
 * system's resolver. Faults: `TLS_UNREADABLE`, which names the setting.
 */
export async function openHttpClient(
  id: string,
  settings: ClientSettings,
  url: URL,
  lookup?: LookupFunction,
): Promise<HttpClient> {
  const tls = await loadClientTls(`exporters.${id}.tls`, settings.tls);
  const timeoutMs = parseDuration(settings.timeout);
  const agentOptions = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ ...agentOptions, ...tls }) : new HttpAgent(agentOptions);
  const request = isTls ? requestHttps : requestHttp;

  const once = (body: Uint8Array, headers: Readonly<Record<string, string>>, signal: AbortSignal) =>
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
    async post(body, headers, signal) {
      for (let isFirst = true; ; isFirst = false) {
        const result = await once(body, headers, signal).catch((error: unknown) => ({ error, isReused: false }));
        if ('status' in result) return result;
        // Keep-alive race: the server closed an idle connection. Retry once.
        const isStale = result.isReused && hasCode(result.error, 'ECONNRESET', 'EPIPE');
        if (!isFirst || !isStale || signal.aborted) throw sendFailed(url, result.error);
      }
    },
    close: () => agent.destroy(),
  };
}

interface NoResponse {
  readonly error: unknown;
  /** Whether a reused connection ended before the response began. */
  readonly isReused: boolean;
}

/** Destroys the request on timeout or when the signal aborts; returns a function that cancels this. */
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

function readResponse(response: IncomingMessage): Promise<HttpResponse> {
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
        body: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES),
      });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= MAX_RESPONSE_BYTES) return;
      done();
      response.destroy();
    });
    response.on('end', done);
    response.on('error', reject);
    response.on('close', () => reject(new Error('the connection closed before the end of the response')));
  });
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

/** Loads and checks the files of a `tls` setting; `key` is its path, such as `exporters.otlp_http.tls`. Faults: `TLS_UNREADABLE`. */
async function loadClientTls(key: string, settings: TlsClientSettings): Promise<ClientTls> {
  const ca = await loadPem(`${key}.ca_file`, settings.ca_file);
  const cert = await loadPem(`${key}.cert_file`, settings.cert_file);
  const privateKey = await loadPem(`${key}.key_file`, settings.key_file);
  const tls = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(privateKey && { key: privateKey }),
    rejectUnauthorized: !settings.insecure_skip_verify,
  };
  check(`${key}.ca_file`, ca && { ca });
  check(`${key}.cert_file`, cert && { cert });
  check(`${key}.key_file`, cert && privateKey && { cert, key: privateKey });
  return tls;
}

async function loadPem(key: string, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(key, 'cannot be read', cause);
  }
}

/** Fails on start instead of on the first request. */
function check(key: string, options: SecureContextOptions | undefined): void {
  if (options === undefined) return;
  try {
    createSecureContext(options);
  } catch (cause) {
    throw unreadable(key, 'is not usable', cause);
  }
}

function unreadable(key: string, what: string, cause: unknown): Fault {
  const sentence = `${key} ${what}: ${messageOf(cause)}. It must name a PEM file that this process can read.`;
  return new Fault('TLS_UNREADABLE', sentence, { cause });
}
