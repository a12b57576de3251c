import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { Fault } from '../../../core/event/fault.js';
import type { TlsClientSettings } from '../../../generated/settings.js';

/** TLS towards a server as `node:https` takes it. */
export type ClientTls = Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & { readonly rejectUnauthorized: boolean };

/** Reads the files that settings name. `key` is where they stand, for example `exporters.otlp_http.tls`. Faults: `TLS_UNREADABLE`, which names the setting. */
export async function readClientTls(key: string, settings: TlsClientSettings): Promise<ClientTls> {
  const { cert_file: certFile, key_file: keyFile } = settings;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const [has, lacks] = certFile === undefined ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
    throw unreadable(`${key}.${lacks}`, `is missing beside ${has}`);
  }
  const ca = await readPem(`${key}.ca_file`, settings.ca_file);
  const cert = await readPem(`${key}.cert_file`, certFile);
  const privateKey = await readPem(`${key}.key_file`, keyFile);
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

async function readPem(key: string, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(key, `cannot be read: ${messageOf(cause)}`, cause);
  }
}

/** Otherwise it would be found out by the first request. */
function check(key: string, options: SecureContextOptions | undefined): void {
  if (options === undefined) return;
  try {
    createSecureContext(options);
  } catch (cause) {
    throw unreadable(key, `is not usable: ${messageOf(cause)}`, cause);
  }
}

function unreadable(key: string, what: string, cause?: unknown): Fault {
  const sentence = `${key} ${what}. It must name a file in PEM that this process may read.`;
  return new Fault('TLS_UNREADABLE', sentence, cause === undefined ? {} : { cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
