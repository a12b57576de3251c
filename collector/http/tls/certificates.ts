import type { SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import type { TlsServerSettings } from '../../../generated/settings.js';
import { toFault } from '../messages/problem.js';
import { contextOf, readTlsFiles, type TlsFiles } from './tls-files.js';

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
