import { Fault, messageOf } from '../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { readFetchedJson } from '../../core/http-reader/read-answer.js';
import { codeOf } from '../../core/storage/files/system-error.js';

/** Characters of an RFC 9110 header value, without spaces. */
const TOKEN = /^[!-~]{1,4096}$/;

/** The address of `--url` or `FAULTLINE_URL`, undefined if neither is set, with the token of `FAULTLINE_INGEST_TOKEN`, or a sentence if one of them is invalid. */
export function ingestAddress(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { readonly url: string | undefined; readonly token: string | undefined } | string {
  const url = named ?? (env['FAULTLINE_URL'] || undefined);
  if (url !== undefined && (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))) {
    return 'the URL of the collector must look like http://localhost:4318 (--url or FAULTLINE_URL)';
  }
  const token = env['FAULTLINE_INGEST_TOKEN']?.trim() || undefined;
  if (token !== undefined && !TOKEN.test(token)) {
    return 'FAULTLINE_INGEST_TOKEN must be one line of visible characters without spaces';
  }
  return { url: url?.replace(/\/{1,8}$/, ''), token };
}

/** What became of a request with events. */
export interface Receipt {
  readonly accepted: number;
  readonly rejected: readonly { readonly index: number; readonly reason: string }[];
  readonly events: readonly { readonly index: number; readonly eventId: string; readonly issueId: string }[];
  /** Why the request failed, and what to do; undefined if the collector read all of it. */
  readonly refusal: string | undefined;
}

const TIMEOUT_MS = 30_000;
/** By status. */
const NEXT_STEPS: Readonly<Record<number, string>> = {
  401: ' Set FAULTLINE_INGEST_TOKEN.',
  404: ' Set --url to the address for events, for example http://localhost:4318.',
};

/** Sends JSON texts as NDJSON once to `POST /v1/events`; every failure is in the receipt. */
export async function postEvents(
  eventsUrl: string,
  token: string | undefined,
  lines: readonly { readonly text: string }[],
): Promise<Receipt> {
  try {
    const response = await fetch(eventsUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: lines.map(({ text }) => text).join('\n'),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await readFetchedJson(response, new URL(eventsUrl).origin);
    return receiptOf(response.status, isJsonObject(body) ? body : {}, eventsUrl);
  } catch (error) {
    if (error instanceof Fault) return { accepted: 0, rejected: [], events: [], refusal: error.message };
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const where = `${new URL(eventsUrl).origin} (${codeOf(cause) ?? messageOf(cause)})`;
    const refusal = `No collector at ${where}. Start one with faultline collect, or set --url.`;
    return { accepted: 0, rejected: [], events: [], refusal };
  }
}

function receiptOf(status: number, { accepted, rejected, events, detail }: JsonObject, eventsUrl: string): Receipt {
  const isRead = typeof accepted === 'number' && detail === undefined;
  const reason = typeof detail === 'string' ? detail : `not a Faultline collector (HTTP ${status})`;
  return {
    accepted: typeof accepted === 'number' ? accepted : 0,
    rejected: entriesOf(rejected).map(({ index, field, reason }) => ({
      index: Number(index),
      reason: `${String(field).replace(/^\//, '')} ${String(reason)}`.trim(),
    })),
    events: entriesOf(events).map(({ index, event_id: eventId, issue_id: issueId }) => ({
      index: Number(index),
      eventId: String(eventId),
      issueId: String(issueId),
    })),
    refusal: isRead ? undefined : `${eventsUrl} refused: ${reason}.${NEXT_STEPS[status] ?? ''}`,
  };
}

function entriesOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
