import { get, type IncomingMessage } from 'node:http';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { waitFor } from '../../helpers/wait-for.js';

/** One event of a stream, as the standard dispatches it. */
export interface StreamEvent {
  readonly name: string;
  readonly id: string;
  readonly data: Partial<IssueSummary>;
}

/** An open stream. */
export interface EventStream {
  readonly status: number;
  readonly type: string;
  readonly events: StreamEvent[];
  readonly comments: string[];
  /** Last event id, with which a browser reconnects. */
  readonly lastId: string;
  readonly isEnded: boolean;
  /** Returns the first matching event after those returned before. */
  next(name: string, fits?: (issue: Partial<IssueSummary>) => boolean): Promise<StreamEvent>;
  close(): void;
}

/** Opens a stream by the rules of the standard (WHATWG HTML, 9.2.6), and waits for the first position. */
export async function openStream(url: string, lastEventId?: string): Promise<EventStream> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject);
  });
  const events: StreamEvent[] = [];
  const comments: string[] = [];
  const state = { lastId: '', isEnded: false, rest: '' };
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (state.rest + text).split('\n\n');
    state.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const at = line.indexOf(': ');
        if (line.startsWith(':')) comments.push(line);
        else fields.set(line.slice(0, at), line.slice(at + 2));
      }
      state.lastId = fields.get('id') ?? state.lastId;
      const data = fields.get('data');
      if (data === undefined) continue;
      events.push({ name: fields.get('event') ?? 'message', id: state.lastId, data: JSON.parse(data) });
    }
  });
  response
    .on('error', () => undefined)
    .on('close', () => {
      state.isEnded = true;
    });
  let awaited = 0;
  const stream: EventStream = {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    events,
    comments,
    get lastId() {
      return state.lastId;
    },
    get isEnded() {
      return state.isEnded;
    },
    next: (name, fits = () => true) =>
      waitFor(`an event ${name}`, () => {
        const index = events.findIndex((event, at) => at >= awaited && event.name === name && fits(event.data));
        if (index < 0) return undefined;
        awaited = index + 1;
        return events[index];
      }),
    close: () => response.destroy(),
  };
  await waitFor('the place of the stream', () => state.lastId !== '' || state.isEnded || stream.status !== 200);
  return stream;
}
