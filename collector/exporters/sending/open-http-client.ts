import { parseDuration } from '../../../config/duration.js';
import type { HeadersSettings, TlsClientSettings } from '../../../generated/settings.js';
import { readClientTls } from './client-tls.js';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.js';

/** What the settings of an exporter say of its requests. */
export interface ClientSettings {
  readonly headers: HeadersSettings;
  /** A duration. */
  readonly timeout: string;
  readonly tls: TlsClientSettings;
}

/** Reads the TLS files of an exporter and builds its client. Faults: `TLS_UNREADABLE`, which names the setting. */
export async function openHttpClient(
  id: string,
  settings: ClientSettings,
  where: Pick<HttpClientOptions, 'url' | 'lookup'>,
): Promise<HttpClient> {
  const tls = await readClientTls(`exporters.${id}.tls`, settings.tls);
  return createHttpClient({ ...where, headers: settings.headers, timeoutMs: parseDuration(settings.timeout), tls });
}
