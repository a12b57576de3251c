import type { ListedRejection } from '../../collector/receivers/events/event-request.js';
import type { EventNote } from '../../core/event/note.js';

/** The JSON of any response of a receiver, with accepted events or with a problem. */
export interface ResponseBody {
  accepted: number;
  rejected: ListedRejection[];
  rejected_count?: number;
  events?: {
    index: number;
    event_id: string;
    issue_id: string;
    fingerprint: string;
    raw: { path: string; line: number };
    notes?: EventNote[];
  }[];
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  position?: number;
  next_index?: number;
}

export interface EventsResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ResponseBody;
}

export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | Blob,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<EventsResponse> {
  const response = await fetch(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
  return { status: response.status, headers: response.headers, body: (await response.json()) as ResponseBody };
}
