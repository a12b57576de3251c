import { Fault } from '../core/event/fault.js';
import type { EventListOptions, FailureReader, IssueListOptions } from '../core/reader.js';
import { answerInvalid } from './http/answer-fault.js';
import { isEventDetail, isEventPage, isIssueDetail, isIssuePage, isStats } from './http/answer-shapes.js';
import { type Check, isObject, Mismatch } from './http/check.js';
import { createJsonClient, type JsonAnswer } from './http/json-client.js';

export interface HttpReaderOptions {
  /** Address of a collector's reading endpoint, for example `http://localhost:4319`; http or https. */
  url: string;
  /** Milliseconds without a byte from the collector after which a call fails, default 10,000. */
  timeoutMs?: number;
}

const API = '/api/v1';
/** Where our collector answers that it knows no such path, it is the wrong endpoint, not a missing event. */
const WRONG_PATH = 'PATH_NOT_FOUND';

/** Reads from a collector over its reading API, design section 6. Throws a Fault `URL_INVALID`; the first call connects. */
export function createHttpReader({ url, timeoutMs }: HttpReaderOptions): FailureReader {
  const base = parseUrl(url);
  const client = createJsonClient({ base, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  let isClosed = false;

  /** Calls and checks; undefined when there is no such thing. */
  async function find<T>(path: string, check: Check<T>): Promise<T | undefined> {
    if (isClosed) throw new Fault('READER_CLOSED', 'The reader was closed; open another.');
    const answer = await client.get(API + path);
    if (answer.status === 404 && problemCode(answer) !== WRONG_PATH) return undefined;
    if (answer.status !== 200) throw problemFault(answer, base.origin);
    const mismatch = new Mismatch();
    if (check(answer.body, '', mismatch)) return answer.body;
    throw answerInvalid(base.origin, mismatch.found ?? 'the answer cannot be read');
  }

  /** As `find`, for what every collector has. */
  async function get<T>(path: string, check: Check<T>): Promise<T> {
    const found = await find(path, check);
    if (found === undefined) throw answerInvalid(base.origin, `there is no ${API}${path.split('?')[0]}`);
    return found;
  }

  return {
    listIssues: (options = {}) => get(`/issues${parameters(options)}`, isIssuePage),
    getIssue: (issueId) => find(`/issues/${issueId}`, isIssueDetail),
    listEvents: (issueId, options = {}) => find(`/issues/${issueId}/events${parameters(options)}`, isEventPage),
    getEvent: (eventId) => find(`/events/${eventId}`, isEventDetail),
    stats: () => get('/stats', isStats),
    async close() {
      isClosed = true;
      client.close();
    },
  };
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new Fault('URL_INVALID', `"${url}" is not an http or https address; write it like http://localhost:4319.`);
}

function parameters(options: IssueListOptions & EventListOptions): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

function problemCode({ body }: JsonAnswer): string | undefined {
  const code = isObject(body) ? body['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The collector's own fault where it sent a problem document, else that its answer is not one of ours. */
function problemFault(answer: JsonAnswer, where: string): Fault {
  const { status, body } = answer;
  const code = problemCode(answer);
  if (code === undefined || code === WRONG_PATH) return answerInvalid(where, `status ${status}`);
  const detail = isObject(body) ? body['detail'] : undefined;
  const sentence = typeof detail === 'string' ? detail : `the collector answered ${status}`;
  return new Fault(code, sentence, { retryable: status === 429 || status >= 500 });
}
