import type { ValidateFunction } from 'ajv/dist/2020.js';
import {
  isAccess,
  isEventDetail,
  isEventPage,
  isEventSearchPage,
  isEventsSummary,
  isFieldValues,
  isGroupingComparison,
  isIssueCounts,
  isIssueDetail,
  isIssuePage,
  isIssuesSince,
  isRejectedPage,
  isReleaseDetail,
  isReleaseSummary,
  isReleases,
  isStats,
  isSuggestions,
} from '../../generated/answer-checks.js';
import type { Access, ActionRequest, IssueDetail, ReleaseSummary } from '../../generated/reader-answers.js';
import type {
  ChangeOptions,
  FailureActions,
  FailureChanges,
  FailureReader,
  FailureReleases,
  ReleaseChange,
} from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import type { IssueId } from '../event/ids.js';
import type { Regrouping } from '../storage/regroup/regrouping.js';
import { parseChanges } from './change-stream.js';
import type { CollectorToken } from './collector-token.js';
import { parseCollectorUrl } from './collector-url.js';
import { createHttpRegrouping } from './http-regrouping.js';
import { API, createJsonClient, type JsonClientOptions } from './json-client.js';
import {
  checkResponse,
  invalidResponse,
  type JsonResponse,
  problemCode,
  problemFault,
  WRONG_PATH,
} from './response-faults.js';

export interface HttpReaderOptions extends Pick<JsonClientOptions, 'headers' | 'maxMs'> {
  /** Address of a collector's reading endpoint, for example `http://localhost:4319`; http or https. */
  url: string;
  token?: CollectorToken | undefined;
  /** Milliseconds without a byte from the collector after which a call fails, default 10,000. */
  timeoutMs?: number;
}

/** 403: a proxy forbids it. 404: the collector is older than this path. A 401 is an error. */
const NO_ACCESS: ReadonlySet<number> = new Set([403, 404]);

/** Its message says which of two ids is missing. */
const EXPLAIN_NOT_FOUND = 'EXPLAIN_NOT_FOUND';

/** Reads and acts through the reading API of a collector. Throws `URL_INVALID`; the first call connects. */
export function createHttpReader({
  url,
  token,
  timeoutMs,
  maxMs,
  headers,
}: HttpReaderOptions): FailureReader & FailureActions & FailureChanges & FailureReleases & Pick<Regrouping, 'decide'> {
  const base = parseCollectorUrl(url);
  const client = createJsonClient({ base, token, timeoutMs, maxMs, headers });
  const regrouping = createHttpRegrouping(url, token);
  let isClosed = false;

  /** Returns undefined for a 404. */
  async function find<T>(path: string, check: ValidateFunction<T>): Promise<T | undefined> {
    assertOpen();
    const response = await client.get(API + path);
    if (response.status === 404 && !hasSpecificCode(response)) return undefined;
    return checked(response, check);
  }

  function assertOpen(): void {
    if (isClosed) throw new Fault('READER_CLOSED', 'The reader was closed; open another.');
  }

  function checked<T>(response: JsonResponse, check: ValidateFunction<T>): T {
    if (response.status !== 200) throw problemFault(response, base.origin);
    return checkResponse(response.body, check, base.origin);
  }

  async function get<T>(path: string, check: ValidateFunction<T>): Promise<T> {
    const found = await find(path, check);
    if (found === undefined) throw invalidResponse(base.origin, `the path ${API}${path.split('?')[0]} does not exist`);
    return found;
  }

  /** Never repeated: a comment would be added twice. */
  async function act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    assertOpen();
    return checked(await client.post(`${API}/issues/${issueId}/actions`, request), isIssueDetail);
  }

  async function recordRelease(change: ReleaseChange): Promise<ReleaseSummary> {
    assertOpen();
    const [path, body] = requestOf(change);
    return checked(await client.post(`${API}/releases${path}`, body), isReleaseSummary);
  }

  async function access(): Promise<Access> {
    assertOpen();
    const response = await client.get(`${API}/access`);
    return NO_ACCESS.has(response.status) ? { actions: false } : checked(response, isAccess);
  }

  async function* changes({ query, after, signal = new AbortController().signal }: ChangeOptions = {}) {
    assertOpen();
    const path = `${API}/stream${parameters({ query, last_event_id: after })}`;
    try {
      const response = await client.stream(path, signal);
      if (response.stream === undefined) throw problemFault(response, base.origin);
      yield* parseChanges(response.stream, base.origin);
    } catch (error) {
      if (error instanceof Fault) throw error;
      const sentence = `The connection to the collector at ${base.origin} broke.`;
      if (!signal.aborted) throw new Fault('COLLECTOR_UNREACHABLE', sentence, { cause: error, retryable: true });
    }
  }

  return {
    listIssues: (options = {}) => get(`/issues${parameters(options)}`, isIssuePage),
    countIssues: (options = {}) => get(`/issues/counts${parameters(options)}`, isIssueCounts),
    listValues: (options) => get(`/issues/values${parameters(options)}`, isFieldValues),
    listIssuesSince: (options) => get(`/issues/since${parameters(options)}`, isIssuesSince),
    listReleases: (options = {}) => get(`/releases${parameters(options)}`, isReleases),
    getRelease: (name) => find(`/releases/${encodeURIComponent(name)}`, isReleaseDetail),
    getIssue: (issueId) => find(`/issues/${issueId}`, isIssueDetail),
    listEvents: (issueId, options = {}) => find(`/issues/${issueId}/events${parameters(options)}`, isEventPage),
    summarizeEvents: (issueId, options = {}) =>
      find(`/issues/${issueId}/summary${parameters(options)}`, isEventsSummary),
    searchEvents: (options = {}) => get(`/events${parameters(options)}`, isEventSearchPage),
    explain: (a, b) => get(`/explain?${new URLSearchParams({ a, b })}`, isGroupingComparison),
    getEvent: (eventId) => find(`/events/${eventId}`, isEventDetail),
    listRejected: (options = {}) => get(`/rejected${parameters(options)}`, isRejectedPage),
    suggestions: (options = {}) => get(`/suggestions${parameters(options)}`, isSuggestions),
    stats: () => get('/stats', isStats),
    access,
    act,
    recordRelease,
    changes,
    decide: regrouping.decide,
    async close() {
      isClosed = true;
      client.close();
      await regrouping.close();
    },
  };
}

function requestOf(change: ReleaseChange): [path: string, body: object] {
  const { release: version } = change;
  switch (change.kind) {
    case 'deploy':
      return [`/${encodeURIComponent(version)}/deploys`, change.deploy];
    case 'commits':
      return ['', { version, commits: change.commits }];
    case 'finalize':
      return ['', { version, released_at: change.releasedAt ?? new Date().toISOString(), url: change.url }];
    case 'create':
      return ['', { version, url: change.url }];
  }
}

function parameters(options: object): string {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Whether a 404 means something other than a missing issue or event. */
function hasSpecificCode(response: JsonResponse): boolean {
  const code = problemCode(response);
  return code === WRONG_PATH || code === EXPLAIN_NOT_FOUND;
}
