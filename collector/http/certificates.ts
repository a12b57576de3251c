import type { SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { parseDuration } from '../../config/duration.js';
import type { TlsServerSettings } from '../../generated/settings.js';
import { toFault } from './problem.js';
import { contextOf, readTlsFiles, type TlsFiles } from './tls-files.js';

/** The certificate of one endpoint, followed on the disk. */
export interface OpenCertificate {
  /** What counts now. */
  readonly context: SecureContextOptions;
  /** Called with what counts for new connections from then on. */
  onChange(listener: (context: SecureContextOptions) => void): void;
  /** Looks no more. Safe twice. */
  close(): void;
}

/** The certificates of all endpoints that speak TLS. */
export interface Certificates {
  /** Reads the files and looks at them every `reload_interval`. Throws `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  open(component: string, settings: TlsServerSettings): Promise<OpenCertificate>;
  /** Looks at all files now, as a reload of the configuration asks. Never throws: what is broken is logged, and what was read before stays. */
  reload(): Promise<void>;
}

/** Builds certificates of nobody. */
export function createCertificates(logger: Logger): Certificates {
  const followed = new Set<FollowedCertificate>();
  return {
    async open(component, settings) {
      const files = await readTlsFiles(component, settings);
      const certificate = new FollowedCertificate({ component, settings, files, logger }, () =>
        followed.delete(certificate),
      );
      followed.add(certificate);
      return certificate;
    },
    async reload() {
      await Promise.all([...followed].map((certificate) => certificate.look()));
    },
  };
}

interface Followed {
  readonly component: string;
  readonly settings: TlsServerSettings;
  readonly files: TlsFiles;
  readonly logger: Logger;
}

class FollowedCertificate implements OpenCertificate {
  readonly #followed: Followed;
  readonly #onClose: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #listeners: ((context: SecureContextOptions) => void)[] = [];
  #files: TlsFiles;
  #problem: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(followed: Followed, onClose: () => void) {
    this.#followed = followed;
    this.#onClose = onClose;
    this.#files = followed.files;
    const intervalMs = parseDuration(followed.settings.reload_interval);
    if (intervalMs > 0) this.#timer = setInterval(() => void this.look(), intervalMs).unref();
  }

  get context(): SecureContextOptions {
    return contextOf(this.#files, this.#followed.settings);
  }

  onChange(listener: (context: SecureContextOptions) => void): void {
    this.#listeners.push(listener);
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#onClose();
  }

  async #look(): Promise<void> {
    const { component, settings, logger } = this.#followed;
    try {
      const files = await readTlsFiles(component, settings);
      this.#problem = undefined;
      if (isDeepStrictEqual(files, this.#files)) return;
      this.#files = files;
      for (const listener of this.#listeners) listener(this.context);
      logger.info({ component }, 'a new certificate counts for new connections');
    } catch (error) {
      const { code, message } = toFault(error);
      // A certificate and its key are seldom replaced in one moment: said once, until it is another problem.
      if (message !== this.#problem) logger.warn({ component, code }, `${message}; the one before stays in use`);
      this.#problem = message;
    }
  }
}
