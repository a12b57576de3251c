import { createHmac } from 'node:crypto';
import { wellFormedJson } from '../../../config/values/well-formed-json.js';
import { Fault } from '../../../core/event/fault.js';
import type { HttpClient, HttpResponse } from '../sending/http-client.js';
import { type Attempt, type Backoff, parseRetryAfter, retrying } from '../sending/retrying.js';
import { type Call, countAlerts } from './alert.js';
import type { AlertTelemetry } from './alert-telemetry.js';

export interface DeliverCallOptions {
  readonly client: Pick<HttpClient, 'post'>;
  /** Builds the body; deterministic. */
  readonly bodyOf: (call: Call) => unknown;
  /** Undefined: calls are not signed. */
  readonly key: Buffer | undefined;
  /** Why the address must not be called; undefined if it may be. */
  readonly refused: Fault | undefined;
  readonly telemetry: AlertTelemetry;
  readonly beginBackoff: () => Backoff;
  /** Ends retries. */
  readonly stop: AbortSignal;
  /** Ends a running request. */
  readonly abort: AbortSignal;
}

const BASE64_PREFIX = 'whsec_';
const RETRYABLE: ReadonlySet<number> = new Set([408, 429]);
/** An error code of Slack. Other bodies are not reported, because they can contain the request. */
const ERROR_CODE = /^[a-z][a-z_]{0,63}$/;
const EXPLANATIONS: Readonly<Record<number, string>> = {
  401: 'the credentials are not valid',
  403: 'the call is not allowed',
  404: 'the address does not exist',
  410: 'the address is gone for good: set another endpoint',
};

/** Makes a call, retries it while that can help, and counts the outcome. */
export async function deliverCall(call: Call, options: DeliverCallOptions): Promise<'done' | 'stopped'> {
  const { telemetry, stop, refused } = options;
  const counts = countAlerts(call.alerts, call.beyond);
  if (refused !== undefined) {
    telemetry.countDropped(counts, refused.message);
    return 'done';
  }
  const body = encodeBody(call, options);
  if (body === undefined) {
    telemetry.countDropped(counts, 'it could not be encoded as a message');
    return 'done';
  }
  const onRetry = (reason: string): void => telemetry.countRetry(reason);
  const outcome = await retrying(() => attempt(call.id, body, options), options.beginBackoff(), stop, onRetry);
  if (outcome.kind === 'stopped') return 'stopped';
  const reason = outcome.kind === 'given_up' ? outcome.reason : outcome.result;
  if (reason === undefined) telemetry.countSent(counts);
  else telemetry.countDropped(counts, reason);
  return 'done';
}

/** Returns undefined if encoding fails, so that later calls are not blocked; the error can contain text of the issue. */
function encodeBody(call: Call, options: DeliverCallOptions): Buffer | undefined {
  try {
    return Buffer.from(wellFormedJson(JSON.stringify(options.bodyOf(call))));
  } catch {
    return undefined;
  }
}

/** Completes with undefined if the server accepts the call, else with the reason why it never will. */
async function attempt(
  id: string,
  body: Buffer,
  { client, key, telemetry, abort }: DeliverCallOptions,
): Promise<Attempt<string | undefined>> {
  try {
    const headers = { 'content-type': 'application/json', ...callHeaders({ id, body, key }, Date.now()) };
    const response = await telemetry.trackInFlight(() => client.post(body, headers, abort));
    const { status } = response;
    if (status >= 200 && status < 300) return { kind: 'completed', result: undefined };
    const reason = describeFailure(response);
    if (status < 500 && !RETRYABLE.has(status)) return { kind: 'completed', result: reason };
    return { kind: 'retry', reason, retryAfterMs: parseRetryAfter(response.header('retry-after'), Date.now()) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { cause } = error;
    if (cause instanceof Fault && cause.code === 'ADDRESS_REFUSED') return { kind: 'completed', result: cause.message };
    return { kind: 'retry', reason: error.message };
  }
}

function describeFailure({ status, body }: HttpResponse): string {
  const isRedirect = status >= 300 && status < 400;
  const word = body.subarray(0, 65).toString('latin1').trim();
  const why = isRedirect
    ? 'redirects are not followed: set the endpoint to the target address'
    : (EXPLANATIONS[status] ?? (ERROR_CODE.test(word) ? word : ''));
  return why === '' ? `the server answered ${status}` : `the server answered ${status}: ${why}`;
}

/** Returns the key of a secret: the base64 after `whsec_` (Standard Webhooks), or the UTF-8 bytes of any other text. */
export function signingKey(secret: string): Buffer {
  return secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

function callHeaders(
  { id, body, key }: { readonly id: string; readonly body: Uint8Array; readonly key: Buffer | undefined },
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (key === undefined) return headers;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}
