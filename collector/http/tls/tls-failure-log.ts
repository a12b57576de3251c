import type { Logger } from 'pino';
import type { Counter, Meters } from '../../telemetry/meters.js';
import type { TlsRefusal, TlsRefusalReason } from './tls-failure.js';

/** What refusals are told by. */
export interface TlsRefusalsOptions {
  /** As an operator writes it. */
  readonly endpoint: string;
  readonly meters: Meters;
  readonly logger: Logger;
  /** Clock in milliseconds, default monotonic. */
  readonly nowMs?: () => number;
}

interface Told {
  readonly counter: Counter;
  /** When the log was written to last. */
  atMs: number;
  /** Refusals since. */
  untold: number;
}

const QUIET_MS = 60_000;

/** Counts the clients that TLS keeps out of an endpoint, and logs of each reason one in a minute with the number of those that came since the last. */
export class TlsRefusals {
  readonly #options: TlsRefusalsOptions;
  readonly #nowMs: () => number;
  readonly #told = new Map<TlsRefusalReason, Told>();

  constructor(options: TlsRefusalsOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  tell({ reason, code, sentence, peer }: TlsRefusal): void {
    const { endpoint, logger } = this.#options;
    const told = this.#toldOf(reason);
    told.counter.add();
    const now = this.#nowMs();
    if (now - told.atMs < QUIET_MS) {
      told.untold++;
      return;
    }
    logger.warn({ endpoint, peer, code, untold: told.untold }, `a client was refused: ${sentence}`);
    told.atMs = now;
    told.untold = 0;
  }

  #toldOf(reason: TlsRefusalReason): Told {
    const known = this.#told.get(reason);
    if (known !== undefined) return known;
    const { endpoint, meters } = this.#options;
    const counter = meters.counter('faultline_tls_refused_connections', { endpoint, reason });
    const told = { counter, atMs: Number.NEGATIVE_INFINITY, untold: 0 };
    this.#told.set(reason, told);
    return told;
  }
}
