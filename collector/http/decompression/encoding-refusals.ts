import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Fault } from '../../../core/event/fault.js';
import type { Meters } from '../../telemetry/meters.js';

const CODES = ['CONTENT_ENCODING_UNSUPPORTED', 'GRPC_ENCODING_UNSUPPORTED'];
/** Senders that are remembered; another one would be logged again. */
const MAX_SENDERS = 1_000;

/** Reports an error of a request from a sender with the address `peer`; does nothing for other errors. */
export type ReportEncoding = (receiver: string, peer: string | undefined, error: unknown) => void;

/** Counts requests with an unsupported compression, and logs one warning for each sender. */
export function createEncodingReport(meters: Meters, logger: Logger): ReportEncoding {
  const logged = new LRUCache<string, true>({ max: MAX_SENDERS });
  return (receiver, peer, error) => {
    if (!(error instanceof Fault && CODES.includes(error.code))) return;
    const { code, message } = error;
    meters.counter('faultline_receiver_unsupported_encodings', { receiver }).add();
    const sender = `${receiver} ${peer}`;
    if (logged.has(sender)) return;
    logged.set(sender, true);
    logger.warn({ component: receiver, peer, code }, `all data of a sender is refused: ${message}`);
  };
}
