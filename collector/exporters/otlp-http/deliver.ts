import { Fault } from '../../../core/event/fault.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import type { Backoff } from '../sending/backoff.js';
import type { ExportAccount } from '../sending/export-account.js';
import type { HttpAnswer, HttpClient } from '../sending/http-client.js';
import { parseRetryAfter } from '../sending/retry-after.js';
import { type Attempt, retrying } from '../sending/retrying.js';
import { type EncodedRequest, encodeRequest, type RequestForm } from './encode-request.js';
import { readExportAnswer } from './export-answer.js';

/** How events are delivered. */
export interface DeliverOptions extends RequestForm {
  readonly client: Pick<HttpClient, 'post'>;
  readonly account: ExportAccount;
  readonly beginBackoff: () => Backoff;
  /** Ends the tries. */
  readonly stop: AbortSignal;
  /** Ends a running request. */
  readonly abort: AbortSignal;
}

/** What became of a request. */
export type Delivered =
  /** Answered for good: taken, refused or given up, and counted. */
  | 'done'
  /** Too large for the server, or one of them cannot be written: parts of it may do. */
  | 'divide'
  | 'stopped';

/**
 * Answers that are about what was sent, which will be no better the next time. All others are about the way, a token or an address for example, which
 * somebody mends: the record keeps the events until then.
 */
const REFUSED_FOR_GOOD: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const TOO_LARGE = 413;

/** Sends events as one request, and tries again while that may help. */
export async function deliverEvents(events: readonly FollowedEvent[], options: DeliverOptions): Promise<Delivered> {
  const { account, stop, beginBackoff } = options;
  const request = await encodeRequest(events, options);
  if (request === undefined) {
    if (events.length > 1) return 'divide';
    account.lost(1, 'it could not be written as a log record');
    return 'done';
  }
  const onRetry = (reason: string): void => {
    account.attempted('retry');
    account.failing(reason);
  };
  const tried = await retrying(() => attempt(request, options), beginBackoff(), stop, onRetry);
  if (tried.kind === 'answered') return await judge(tried.answer, events.length, account);
  if (tried.kind === 'stopped') return 'stopped';
  account.attempted('failure');
  return passOver(events.length, tried.reason, account);
}

async function attempt(
  { body, headers }: EncodedRequest,
  { client, account, abort }: DeliverOptions,
): Promise<Attempt<HttpAnswer>> {
  try {
    const answer = await account.inFlight(() => client.post(body, headers, abort));
    if (isSuccess(answer) || REFUSED_FOR_GOOD.has(answer.status)) return { kind: 'answered', answer };
    const { message } = await readExportAnswer(answer, 0);
    const askedMs = parseRetryAfter(answer.header('retry-after'), Date.now());
    return { kind: 'retry', reason: said(answer, message), askedMs };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'retry', reason: error.message };
  }
}

async function judge(answer: HttpAnswer, events: number, account: ExportAccount): Promise<Delivered> {
  const { rejected, message } = await readExportAnswer(answer, events);
  if (isSuccess(answer)) {
    account.attempted('success');
    account.sent(events - rejected);
    if (rejected > 0)
      account.lost(rejected, `the server took the request and rejected some of its records: ${message}`);
    account.well();
    return 'done';
  }
  account.attempted('failure');
  if (answer.status === TOO_LARGE && events > 1) return 'divide';
  // What is never taken would keep back everything behind it for ever.
  return passOver(events, said(answer, message), account);
}

function passOver(events: number, reason: string, account: ExportAccount): Delivered {
  account.failing(reason);
  account.lost(events, reason);
  return 'done';
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

function said({ status }: HttpAnswer, message: string): string {
  return message === '' ? `the server answered ${status}` : `the server answered ${status}: ${message}`;
}
