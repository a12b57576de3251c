import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { Fault } from '../../../core/event/fault.js';
import type { TlsClientSettings } from '../../../generated/settings.js';

/** TLS options for `node:https`. */
type ClientTls = Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & { readonly rejectUnauthorized: boolean };

/** Loads and checks the files of a `tls` setting; `key` is its path, such as `exporters.otlp_http.tls`. Faults: `TLS_UNREADABLE`. */
export async function loadClientTls(key: string, settings: TlsClientSettings): Promise<ClientTls> {
  const { cert_file: certFile, key_file: keyFile } = settings;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const [has, lacks] = certFile === undefined ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
    throw unreadable(`${key}.${lacks}`, `is missing; ${has} is set`);
  }
  const ca = await loadPem(`${key}.ca_file`, settings.ca_file);
  const cert = await loadPem(`${key}.cert_file`, certFile);
  const privateKey = await loadPem(`${key}.key_file`, keyFile);
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

function unreadable(key: string, what: string, cause?: unknown): Fault {
  const reason = cause === undefined ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`;
  const sentence = `${key} ${what}${reason}. It must name a PEM file that this process can read.`;
  return new Fault('TLS_UNREADABLE', sentence, cause === undefined ? {} : { cause });
}
