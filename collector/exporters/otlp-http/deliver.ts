import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Fault } from '../../../core/event/fault.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { Backoff } from '../sending/backoff.js';
import type { ExportAccount } from '../sending/export-account.js';
import type { HttpAnswer, HttpClient } from '../sending/http-client.js';
import { parseRetryAfter } from '../sending/retry-after.js';
import { type Attempt, retrying } from '../sending/retrying.js';
import { encodeJson } from './encode-json.js';
import { encodeProto } from './encode-proto.js';
import { readExportAnswer } from './export-answer.js';
import { RecordGroups } from './group-records.js';
import { toLogRecord } from './to-log-record.js';

/** How events are delivered. */
export interface DeliverOptions {
  readonly client: HttpClient;
  readonly encoding: 'proto' | 'json';
  readonly isCompressed: boolean;
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

const compress = promisify(gzip);

/**
 * Answers that are about what was sent, which will be no better the next time. All others are about the way, a token or an address for example, which
 * somebody mends: the record keeps the events until then.
 */
const REFUSED_FOR_GOOD: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const TOO_LARGE = 413;

/** Sends events as one request, and tries again while that may help. */
export async function deliver(events: readonly FollowedEvent[], options: DeliverOptions): Promise<Delivered> {
  const { client, encoding, isCompressed, account, stop, abort } = options;
  const body = await encode(events, options);
  if (body === undefined) {
    if (events.length > 1) return 'divide';
    account.lost(1, 'it could not be written as a log record');
    return 'done';
  }
  const headers = {
    'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  };
  const attempt = async (): Promise<Attempt<HttpAnswer>> => {
    try {
      const answer = await account.inFlight(() => client.post(body, headers, abort));
      if (isFinal(answer.status)) return { kind: 'answered', answer };
      const { message } = await readExportAnswer(answer, 0);
      const askedMs = parseRetryAfter(answer.header('retry-after'), Date.now());
      return { kind: 'retry', reason: said(answer, message), askedMs };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { kind: 'retry', reason: error.message };
    }
  };
  const onRetry = (reason: string): void => {
    account.attempted('retry');
    account.failing(reason);
  };
  const tried = await retrying(attempt, { backoff: options.beginBackoff(), stop, onRetry });
  if (tried.kind === 'answered') return await judge(tried.answer, events.length, account);
  if (tried.kind === 'stopped') return 'stopped';
  account.attempted('failure');
  account.failing(tried.reason);
  account.lost(events.length, tried.reason);
  return 'done';
}

function isFinal(status: number): boolean {
  return (status >= 200 && status < 300) || REFUSED_FOR_GOOD.has(status);
}

async function judge(answer: HttpAnswer, events: number, account: ExportAccount): Promise<Delivered> {
  const { rejected, message } = await readExportAnswer(answer, events);
  if (answer.status >= 200 && answer.status < 300) {
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
  const reason = said(answer, message);
  account.failing(reason);
  account.lost(events, reason);
  return 'done';
}

function said({ status }: HttpAnswer, message: string): string {
  return message === '' ? `the server answered ${status}` : `the server answered ${status}: ${message}`;
}

/** Undefined where it fails, which must not keep back everything behind it. */
async function encode(
  events: readonly FollowedEvent[],
  { encoding, isCompressed }: DeliverOptions,
): Promise<Uint8Array | undefined> {
  const slice = beginTimeSlice();
  const records = new RecordGroups();
  try {
    for (const event of events) {
      if (slice.isOver) await slice.next();
      records.add(toLogRecord(event));
    }
    const plain = encoding === 'json' ? await encodeJson(records.groups) : await encodeProto(records.groups);
    return isCompressed ? await compress(plain) : plain;
  } catch {
    // What it says may hold the event's words.
    return undefined;
  }
}
