import { constants } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import { Fault } from '../../../core/event/fault.js';
import { codeOf } from '../../../core/storage/files/system-error.js';
import type { TlsServerSettings } from '../../../generated/settings.js';
import { toFault } from '../messages/problem.js';
import { assertCertificates, assertKeyOf, assertPrivateKey } from './pem.js';

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

export function createCertificates(logger: Logger): Certificates {
  const followed = new Set<OpenCertificate>();
  return {
    async open(component, settings) {
      const files = await readTlsFiles(component, settings);
      const certificate = new OpenCertificate(component, settings, files, logger, () => followed.delete(certificate));
      followed.add(certificate);
      return certificate;
    },
    async reload() {
      await Promise.all([...followed].map((certificate) => certificate.reload()));
    },
  };
}

/** The certificate of one endpoint, reloaded when its files change. */
export class OpenCertificate {
  readonly #component: string;
  readonly #settings: TlsServerSettings;
  readonly #logger: Logger;
  readonly #onClose: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #listeners: ((context: SecureContextOptions) => void)[] = [];
  #files: TlsFiles;
  #problem: string | undefined;
  #reloading: Promise<void> | undefined;

  constructor(component: string, settings: TlsServerSettings, files: TlsFiles, logger: Logger, onClose: () => void) {
    this.#component = component;
    this.#settings = settings;
    this.#files = files;
    this.#logger = logger;
    this.#onClose = onClose;
    const intervalMs = parseDuration(settings.reload_interval);
    if (intervalMs > 0) this.#timer = setInterval(() => void this.reload(), intervalMs).unref();
  }

  /** The current certificate. */
  get context(): SecureContextOptions {
    return contextOf(this.#files, this.#settings);
  }

  /** Calls `listener` with each new certificate, for new connections. */
  onChange(listener: (context: SecureContextOptions) => void): void {
    this.#listeners.push(listener);
  }

  /** Reloads the files. Never rejects: errors are logged, and the previous certificate stays in use. */
  reload(): Promise<void> {
    this.#reloading ??= this.#reloadFiles().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  /** Stops checking the files. Idempotent. */
  close(): void {
    clearInterval(this.#timer);
    this.#onClose();
  }

  async #reloadFiles(): Promise<void> {
    const component = this.#component;
    try {
      const files = await readTlsFiles(component, this.#settings);
      this.#problem = undefined;
      if (isDeepStrictEqual(files, this.#files)) return;
      this.#files = files;
      for (const listener of this.#listeners) listener(this.context);
      this.#logger.info({ component }, 'new connections use a new certificate');
    } catch (error) {
      const { code, message } = toFault(error);
      // A certificate and its key are seldom replaced at the same moment, so a problem is logged once.
      if (message !== this.#problem)
        this.#logger.warn({ component, code }, `${message}; the previous certificate stays in use`);
      this.#problem = message;
    }
  }
}

/**
 * Reads and checks the files of an endpoint's `tls`. Throws `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID` with component, setting and path, never with
 * file contents.
 */
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

/** The options for node:tls. */
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
