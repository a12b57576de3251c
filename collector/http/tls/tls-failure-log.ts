import type { Logger } from 'pino';
import type { Counter, Meters } from '../../telemetry/meters.js';
import type { TlsRefusal, TlsRefusalReason } from './tls-failure.js';

interface TlsRefusalsOptions {
  /** The configured text. */
  readonly endpoint: string;
  readonly meters: Meters;
  readonly logger: Logger;
  /** Clock in milliseconds, default monotonic. */
  readonly nowMs?: () => number;
}

interface LoggedReason {
  readonly counter: Counter;
  /** Time of the last log message. */
  atMs: number;
  /** Refusals since then. */
  untold: number;
}

const QUIET_MS = 60_000;

/** Counts clients that TLS refuses, and logs at most one refusal per reason and minute, with the number of those not logged. */
export class TlsRefusals {
  readonly #options: TlsRefusalsOptions;
  readonly #nowMs: () => number;
  readonly #reasons = new Map<TlsRefusalReason, LoggedReason>();

  constructor(options: TlsRefusalsOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  report({ reason, code, sentence, peer }: TlsRefusal): void {
    const { endpoint, logger } = this.#options;
    const logged = this.#reasonOf(reason);
    logged.counter.add();
    const now = this.#nowMs();
    if (now - logged.atMs < QUIET_MS) {
      logged.untold++;
      return;
    }
    logger.warn({ endpoint, peer, code, untold: logged.untold }, `a client was refused: ${sentence}`);
    logged.atMs = now;
    logged.untold = 0;
  }

  #reasonOf(reason: TlsRefusalReason): LoggedReason {
    const known = this.#reasons.get(reason);
    if (known !== undefined) return known;
    const { endpoint, meters } = this.#options;
    const counter = meters.counter('faultline_tls_refused_connections', { endpoint, reason });
    const entry = { counter, atMs: Number.NEGATIVE_INFINITY, untold: 0 };
    this.#reasons.set(reason, entry);
    return entry;
  }
}
