import type { ListedRejection } from '../../collector/receivers/events/event-request.js';
import type { EventNote } from '../../core/event/note.js';

/** Everything that an answer of the ingest side may hold, taken or refused. */
export interface AnswerBody {
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

/** A read answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}

/** Posts a body as it is. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | Blob,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
  return { status: response.status, headers: response.headers, body: (await response.json()) as AnswerBody };
}
