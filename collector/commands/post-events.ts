import { messageOf } from '../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { codeOf } from '../../core/storage/files/system-error.js';

/** The response to a request with events. */
export interface Receipt {
  readonly accepted: number;
  readonly rejected: readonly { readonly index: number; readonly reason: string }[];
  readonly events: readonly { readonly index: number; readonly eventId: string; readonly issueId: string }[];
  /** Why the request failed, and what to do; undefined if the collector read all of it. */
  readonly refusal: string | undefined;
}

interface EventsRequest {
  /** URL of `POST /v1/events`. */
  readonly eventsUrl: string;
  readonly token: string | undefined;
  /** One JSON text each. */
  readonly lines: readonly string[];
}

const TIMEOUT_MS = 30_000;
const NEXT_STEPS: Readonly<Record<number, string>> = {
  401: ' Set FAULTLINE_INGEST_TOKEN.',
  404: ' Set --url to the address for events, for example http://localhost:4318.',
};

/** Sends events as NDJSON once; every failure is in the receipt. */
export async function postEvents({ eventsUrl, token, lines }: EventsRequest): Promise<Receipt> {
  const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(eventsUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...authorization },
      body: lines.join('\n'),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return receiptOf(response, eventsUrl, parseObject(await response.text()));
  } catch (error) {
    const { origin } = new URL(eventsUrl);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const reason = codeOf(cause) ?? messageOf(cause);
    const refusal = `No collector at ${origin} (${reason}). Start one with faultline collect, or set --url.`;
    return { accepted: 0, rejected: [], events: [], refusal };
  }
}

function receiptOf({ status, ok }: Response, eventsUrl: string, body: JsonObject): Receipt {
  const { accepted, detail } = body;
  const rejected = entriesOf(body['rejected']).map(({ index, field, reason }) => ({
    index: Number(index),
    reason: `${typeof field === 'string' && field !== '' ? `${field.replace(/^\//, '')} ` : ''}${String(reason)}`,
  }));
  const events = entriesOf(body['events']).map(({ index, event_id: eventId, issue_id: issueId }) => ({
    index: Number(index),
    eventId: String(eventId),
    issueId: String(issueId),
  }));
  const isRead = typeof accepted === 'number' && detail === undefined;
  const reason = typeof detail === 'string' ? detail : ok ? 'not a Faultline collector' : `HTTP ${status}`;
  return {
    accepted: typeof accepted === 'number' ? accepted : 0,
    rejected,
    events,
    refusal: isRead ? undefined : `${eventsUrl} refused: ${reason}.${NEXT_STEPS[status] ?? ''}`,
  };
}

function entriesOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Empty if the text is not a JSON object. */
function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
