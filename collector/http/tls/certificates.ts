import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import { Fault } from '../../../core/event/fault.js';
import { codeOf } from '../../../core/storage/files/system-error.js';
import type { TlsServerSettings } from '../../../generated/settings.js';
import { toFault } from '../messages/problem.js';

interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities for client certificates; absent: clients send none. */
  readonly ca?: string;
}

type Setting = 'cert_file' | 'key_file' | 'client_ca_file';

/** Larger files are not certificates. */
const MAX_FILE_LENGTH = 4 * 1024 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/** The certificates of all TLS endpoints. */
export interface Certificates {
  /** Loads the files and checks them for changes every `reload_interval`. Throws `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  open(component: string, settings: TlsServerSettings): Promise<OpenCertificate>;
  /** Reloads all files now. Never throws: errors are logged, and the previous certificate stays in use. */
  reload(): Promise<void>;
}

/** The certificate of one endpoint, reloaded when its files change. */
export interface OpenCertificate {
  /** The current certificate. */
  readonly context: SecureContextOptions;
  /** Calls `listener` with each new certificate, for new connections. */
  onChange(listener: (context: SecureContextOptions) => void): void;
  /** Reloads the files. Never rejects: errors are logged, and the previous certificate stays in use. */
  reload(): Promise<void>;
  /** Stops checking the files. Idempotent. */
  close(): void;
}

/** Creates an empty set of certificates, which `open` fills. */
export function createCertificates(logger: Logger): Certificates {
  const followed = new Set<OpenCertificate>();

  async function open(component: string, settings: TlsServerSettings): Promise<OpenCertificate> {
    let files = await readTlsFiles(component, settings);
    let problem: string | undefined;
    let reloading: Promise<void> | undefined;
    const listeners: ((context: SecureContextOptions) => void)[] = [];

    async function reloadFiles(): Promise<void> {
      try {
        const current = await readTlsFiles(component, settings);
        problem = undefined;
        if (isDeepStrictEqual(current, files)) return;
        files = current;
        for (const listener of listeners) listener(certificate.context);
        logger.info({ component }, 'new connections use a new certificate');
      } catch (error) {
        const { code, message } = toFault(error);
        // A certificate and its key are seldom replaced at the same moment, so a problem is logged once.
        if (message !== problem) logger.warn({ component, code }, `${message}; the previous certificate stays in use`);
        problem = message;
      }
    }

    const certificate: OpenCertificate = {
      get context() {
        return contextOf(files, settings);
      },
      onChange: (listener) => listeners.push(listener),
      reload() {
        reloading ??= reloadFiles().finally(() => {
          reloading = undefined;
        });
        return reloading;
      },
      close() {
        clearInterval(timer);
        followed.delete(certificate);
      },
    };
    const intervalMs = parseDuration(settings.reload_interval);
    const timer = intervalMs > 0 ? setInterval(() => void certificate.reload(), intervalMs).unref() : undefined;
    followed.add(certificate);
    return certificate;
  }

  return {
    open,
    async reload(): Promise<void> {
      await Promise.all([...followed].map((certificate) => certificate.reload()));
    },
  };
}

/** Reads and checks TLS files. `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID` name component, setting and path, never file contents. */
async function readTlsFiles(component: string, settings: TlsServerSettings): Promise<TlsFiles> {
  const { cert_file, key_file, client_ca_file } = settings;
  const read = (setting: Setting, path: string) => readOne(component, setting, path);
  const [cert, key, ca] = await Promise.all([
    read('cert_file', cert_file),
    read('key_file', key_file),
    client_ca_file === undefined ? undefined : read('client_ca_file', client_ca_file),
  ]);
  check(component, 'cert_file', cert_file, 'is not a certificate in PEM form', () => assertCertificates(cert));
  check(component, 'key_file', key_file, 'is not a private key in PEM form, or has a passphrase', () =>
    assertPrivateKey(key),
  );
  check(component, 'key_file', key_file, `is not the key of ${cert_file}`, () => assertKeyOf(cert, key));
  if (ca === undefined || client_ca_file === undefined) return { cert, key };
  check(component, 'client_ca_file', client_ca_file, 'has no certificate in PEM form', () => assertCertificates(ca));
  return { cert, key, ca };
}

function contextOf(files: TlsFiles, { min_version }: TlsServerSettings): SecureContextOptions {
  return {
    ...files,
    minVersion: min_version === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
    // A TLS 1.2 client could otherwise renegotiate endlessly; node only reports it.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

async function readOne(component: string, setting: Setting, path: string): Promise<string> {
  try {
    const text = await readFile(path, 'latin1');
    return text.length > MAX_FILE_LENGTH ? '' : text;
  } catch (cause) {
    const code = codeOf(cause) ?? 'UNKNOWN';
    const sentence = `${component}: the file of tls.${setting}, ${path}, cannot be read: ${REASONS[code] ?? code}`;
    throw new Fault('TLS_FILE_UNREADABLE', sentence, { cause });
  }
}

function check(component: string, setting: Setting, path: string, problem: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const sentence = `${component}: the file of tls.${setting}, ${path}, ${problem}`;
    throw new Fault('TLS_FILE_INVALID', sentence, { cause });
  }
}

/** Bounded, so that text without an end marker is not scanned repeatedly. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]{1,100000}-----END CERTIFICATE-----/g;

/** Parses every certificate of a PEM text; empty if it has none. Throws if one is invalid, also after the first, where OpenSSL would ignore it. */
export function parseCertificates(text: string): readonly X509Certificate[] {
  return (text.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** Throws if a text has no valid PEM certificate. */
export function assertCertificates(text: string): void {
  if (parseCertificates(text).length === 0) throw new Error('no certificate');
}

/** Throws if a text is not a PEM private key without a passphrase. */
export function assertPrivateKey(key: string): void {
  // A secure context would accept an empty text as a missing key.
  createPrivateKey(key);
}

/** Throws if a private key does not belong to the first certificate of a text. */
export function assertKeyOf(cert: string, key: string): void {
  createSecureContext({ cert, key });
}
