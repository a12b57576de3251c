import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Fault } from '../../../core/event/fault.js';
import type { Meters } from '../../telemetry/meters.js';

const CODES = ['CONTENT_ENCODING_UNSUPPORTED', 'GRPC_ENCODING_UNSUPPORTED'];
/** Senders that are remembered; another one would be logged again. */
const MAX_SENDERS = 1_000;

/** Counts requests with an unsupported compression, and logs one warning for each sender. */
export class EncodingRefusals {
  readonly #meters: Meters;
  readonly #logger: Logger;
  readonly #logged = new LRUCache<string, true>({ max: MAX_SENDERS });

  constructor(meters: Meters, logger: Logger) {
    this.#meters = meters;
    this.#logger = logger;
  }

  /** Does nothing for other errors. `peer` is the sender's address. */
  report(receiver: string, peer: string | undefined, error: unknown): void {
    if (!(error instanceof Fault && CODES.includes(error.code))) return;
    const { code, message } = error;
    this.#meters.counter('faultline_receiver_unsupported_encodings', { receiver }).add();
    const sender = `${receiver} ${peer}`;
    if (this.#logged.has(sender)) return;
    this.#logged.set(sender, true);
    this.#logger.warn({ component: receiver, peer, code }, `all data of a sender is refused: ${message}`);
  }
}
