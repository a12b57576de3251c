import { Fault } from '../../../core/event/fault.js';
import type { Backoff } from '../sending/backoff.js';
import type { HttpClient, HttpResponse } from '../sending/http-client.js';
import { type Attempt, parseRetryAfter, retrying } from '../sending/retrying.js';
import { type Call, countAlerts } from './alert.js';
import type { AlertTelemetry } from './alert-telemetry.js';
import { callHeaders } from './sign-call.js';

/** How calls are made. */
export interface DeliverCallOptions {
  readonly client: Pick<HttpClient, 'post'>;
  /** Writes a body; the same call gives the same one. */
  readonly bodyOf: (call: Call) => unknown;
  /** Undefined: calls are not signed. */
  readonly key: Buffer | undefined;
  /** Why the address is never called; undefined: it is. */
  readonly refused: Fault | undefined;
  readonly telemetry: AlertTelemetry;
  readonly beginBackoff: () => Backoff;
  /** Ends the tries. */
  readonly stop: AbortSignal;
  /** Ends a running request. */
  readonly abort: AbortSignal;
}

const RETRYABLE: ReadonlySet<number> = new Set([408, 429]);
/** What a refusal of Slack consists of. Other answers are not repeated: they may hold what was sent. */
const CODE_WORD = /^[a-z][a-z_]{0,63}$/;
const WHAT_TO_DO: Readonly<Record<number, string>> = {
  401: 'its credentials do not hold',
  403: 'it does not want the call',
  404: 'there is nothing at that address',
  410: 'the address is gone for good: set another endpoint',
};

/** Makes a call, and tries again while that may help. What becomes of it is counted. */
export async function deliverCall(call: Call, options: DeliverCallOptions): Promise<'done' | 'stopped'> {
  const { telemetry, stop, refused } = options;
  const told = countAlerts(call.alerts, call.beyond);
  if (refused !== undefined) {
    telemetry.countDropped(told, refused.message);
    return 'done';
  }
  const body = bodyOf(call, options);
  if (body === undefined) {
    telemetry.countDropped(told, 'it could not be written as a message');
    return 'done';
  }
  const onRetry = (reason: string): void => telemetry.countRetry(reason);
  const tried = await retrying(() => attempt(call.id, body, options), options.beginBackoff(), stop, onRetry);
  if (tried.kind === 'stopped') return 'stopped';
  const reason = tried.kind === 'given_up' ? tried.reason : tried.answer;
  if (reason === undefined) telemetry.countSent(told);
  else telemetry.countDropped(told, reason);
  return 'done';
}

/** Undefined where it fails, which must not keep back everything behind it. What it says may hold words of the issue. */
function bodyOf(call: Call, options: DeliverCallOptions): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(options.bodyOf(call)));
  } catch {
    return undefined;
  }
}

/** Answers undefined where it was taken, else why it never will be. */
async function attempt(
  id: string,
  body: Buffer,
  { client, key, telemetry, abort }: DeliverCallOptions,
): Promise<Attempt<string | undefined>> {
  try {
    const headers = { 'content-type': 'application/json', ...callHeaders({ id, body, key }, Date.now()) };
    const answer = await telemetry.trackInFlight(() => client.post(body, headers, abort));
    const { status } = answer;
    if (status >= 200 && status < 300) return { kind: 'answered', answer: undefined };
    if (status < 500 && !RETRYABLE.has(status)) return { kind: 'answered', answer: said(answer) };
    return { kind: 'retry', reason: said(answer), askedMs: parseRetryAfter(answer.header('retry-after'), Date.now()) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { cause } = error;
    if (cause instanceof Fault && cause.code === 'ADDRESS_REFUSED') return { kind: 'answered', answer: cause.message };
    return { kind: 'retry', reason: error.message };
  }
}

function said({ status, body }: HttpResponse): string {
  const isRedirect = status >= 300 && status < 400;
  const word = body.subarray(0, 65).toString('latin1').trim();
  const why = isRedirect
    ? 'redirects are not followed: set the endpoint to the address where they lead'
    : (WHAT_TO_DO[status] ?? (CODE_WORD.test(word) ? word : ''));
  return why === '' ? `the server answered ${status}` : `the server answered ${status}: ${why}`;
}
