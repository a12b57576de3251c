import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { Fault, messageOf } from '../../../core/event/fault.js';
import type { TlsClientSettings } from '../../../generated/settings.js';

/** Loads and checks the files of a `tls` setting; `key` is its path, such as `exporters.otlp_http.tls`. Faults: `TLS_UNREADABLE`. */
export async function loadClientTls(key: string, settings: TlsClientSettings) {
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
