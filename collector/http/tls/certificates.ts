import type { SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import type { TlsServerSettings } from '../../../generated/settings.js';
import { toFault } from '../messages/problem.js';
import { contextOf, readTlsFiles, type TlsFiles } from './tls-files.js';

/** The certificates of all endpoints that speak TLS. */
export interface Certificates {
  /** Reads the files and looks at them every `reload_interval`. Throws `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  open(component: string, settings: TlsServerSettings): Promise<OpenCertificate>;
  /** Looks at all files now, as a reload of the configuration asks. Never throws: what is broken is logged, and what was read before stays. */
  reload(): Promise<void>;
}

/** Builds certificates of nobody. */
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
      await Promise.all([...followed].map((certificate) => certificate.look()));
    },
  };
}

/** The certificate of one endpoint, followed on the disk. */
export class OpenCertificate {
  readonly #component: string;
  readonly #settings: TlsServerSettings;
  readonly #logger: Logger;
  readonly #onClose: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #listeners: ((context: SecureContextOptions) => void)[] = [];
  #files: TlsFiles;
  #problem: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(component: string, settings: TlsServerSettings, files: TlsFiles, logger: Logger, onClose: () => void) {
    this.#component = component;
    this.#settings = settings;
    this.#files = files;
    this.#logger = logger;
    this.#onClose = onClose;
    const intervalMs = parseDuration(settings.reload_interval);
    if (intervalMs > 0) this.#timer = setInterval(() => void this.look(), intervalMs).unref();
  }

  /** What counts now. */
  get context(): SecureContextOptions {
    return contextOf(this.#files, this.#settings);
  }

  /** Called with what counts for new connections from then on. */
  onChange(listener: (context: SecureContextOptions) => void): void {
    this.#listeners.push(listener);
  }

  /** Looks at the files now. Never rejects: what is broken is logged, and what was read before stays. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Looks no more. Safe twice. */
  close(): void {
    clearInterval(this.#timer);
    this.#onClose();
  }

  async #look(): Promise<void> {
    const component = this.#component;
    try {
      const files = await readTlsFiles(component, this.#settings);
      this.#problem = undefined;
      if (isDeepStrictEqual(files, this.#files)) return;
      this.#files = files;
      for (const listener of this.#listeners) listener(this.context);
      this.#logger.info({ component }, 'a new certificate counts for new connections');
    } catch (error) {
      const { code, message } = toFault(error);
      // A certificate and its key are seldom replaced in one moment: said once, until it is another problem.
      if (message !== this.#problem) this.#logger.warn({ component, code }, `${message}; the one before stays in use`);
      this.#problem = message;
    }
  }
}
