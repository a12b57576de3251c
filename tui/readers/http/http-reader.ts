import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { FailureActions, FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import type { IssueId } from '../../../core/event/ids.js';
import {
  isAccess,
  isEventDetail,
  isEventPage,
  isEventSearchPage,
  isEventsSummary,
  isGroupingComparison,
  isIssueCounts,
  isIssueDetail,
  isIssuePage,
  isStats,
} from '../../../generated/answer-checks.js';
import type { Access, ActionRequest, IssueDetail } from '../../../generated/reader-answers.js';
import { API, parseCollectorUrl } from '../../preferences/collector-url.js';
import { answerInvalid, checkAnswer, type JsonAnswer, problemCode, problemFault, WRONG_PATH } from './answer-fault.js';
import type { CollectorToken } from './collector-token.js';
import { createJsonClient } from './json-client.js';

export interface HttpReaderOptions {
  /** Address of a collector's reading endpoint, for example `http://localhost:4319`; http or https. */
  url: string;
  /** For the collector; absent: none. */
  token?: CollectorToken | undefined;
  /** Milliseconds without a byte from the collector after which a call fails, default 10,000. */
  timeoutMs?: number;
}

/** Of something before the collector that does not let us ask, or of one that is older than the question. Who wants a token (401) is not to be taken for one that answers. */
const NO_ACCESS: ReadonlySet<number> = new Set([403, 404]);

/** Says which of two things is missing. */
const ONE_IS_MISSING = 'EXPLAIN_NOT_FOUND';

/** Reads from a collector and acts on its issues over its reading API, design section 6. Throws a Fault `URL_INVALID`; the first call connects. */
export function createHttpReader({ url, token, timeoutMs }: HttpReaderOptions): FailureReader & FailureActions {
  const base = parseCollectorUrl(url);
  const client = createJsonClient({ base, token, timeoutMs });
  let isClosed = false;

  /** Calls and checks; undefined when there is no such thing. */
  async function find<T>(path: string, check: ValidateFunction<T>): Promise<T | undefined> {
    assertOpen();
    const answer = await client.get(API + path);
    if (answer.status === 404 && !isToldApart(answer)) return undefined;
    return checked(answer, check);
  }

  function assertOpen(): void {
    if (isClosed) throw new Fault('READER_CLOSED', 'The reader was closed; open another.');
  }

  function checked<T>(answer: JsonAnswer, check: ValidateFunction<T>): T {
    if (answer.status !== 200) throw problemFault(answer, base.origin);
    return checkAnswer(answer.body, check, base.origin);
  }

  /** As `find`, for what every collector has. */
  async function get<T>(path: string, check: ValidateFunction<T>): Promise<T> {
    const found = await find(path, check);
    if (found === undefined) throw answerInvalid(base.origin, `there is no ${API}${path.split('?')[0]}`);
    return found;
  }

  /** Is never sent twice: a comment would stand there twice. */
  async function act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    assertOpen();
    return checked(await client.post(`${API}/issues/${issueId}/actions`, request), isIssueDetail);
  }

  async function access(): Promise<Access> {
    assertOpen();
    const answer = await client.get(`${API}/access`);
    return NO_ACCESS.has(answer.status) ? { actions: false } : checked(answer, isAccess);
  }

  return {
    listIssues: (options = {}) => get(`/issues${parameters(options)}`, isIssuePage),
    countIssues: (options = {}) => get(`/issues/counts${parameters(options)}`, isIssueCounts),
    getIssue: (issueId) => find(`/issues/${issueId}`, isIssueDetail),
    listEvents: (issueId, options = {}) => find(`/issues/${issueId}/events${parameters(options)}`, isEventPage),
    summarizeEvents: (issueId, options = {}) =>
      find(`/issues/${issueId}/summary${parameters(options)}`, isEventsSummary),
    searchEvents: (options = {}) => get(`/events${parameters(options)}`, isEventSearchPage),
    explain: (a, b) => get(`/explain?${new URLSearchParams({ a, b })}`, isGroupingComparison),
    getEvent: (eventId) => find(`/events/${eventId}`, isEventDetail),
    stats: () => get('/stats', isStats),
    access,
    act,
    async close() {
      isClosed = true;
      client.close();
    },
  };
}

function parameters(options: object): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Whether an answer says more than that there is no such thing. */
function isToldApart(answer: JsonAnswer): boolean {
  const code = problemCode(answer);
  return code === WRONG_PATH || code === ONE_IS_MISSING;
}
