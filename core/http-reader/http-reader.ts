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
import type {
  Access,
  ActionRequest,
  EventDetail,
  EventPage,
  EventSearchPage,
  EventsSummary,
  FieldValues,
  GroupingComparison,
  IssueCounts,
  IssueDetail,
  IssuePage,
  IssuesSince,
  RegroupResult,
  RejectedPage,
  ReleaseDetail,
  ReleaseSummary,
  Releases,
  Stats,
  Suggestions,
} from '../../generated/reader-answers.js';
import type {
  ChangeOptions,
  ChangePosition,
  EventListOptions,
  EventSummaryOptions,
  FailureActions,
  FailureChanges,
  FailureReader,
  FailureReleases,
  FieldValueOptions,
  IssueChange,
  IssueCountOptions,
  IssueListOptions,
  IssuesSinceOptions,
  ReleaseChange,
} from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import type { EventId, IssueId } from '../event/ids.js';
import type { Decision, Regrouping, RegroupOptions } from '../storage/regroup/regrouping.js';
import { parseChanges } from './change-stream.js';
import type { CollectorToken } from './collector-token.js';
import { parseCollectorUrl } from './collector-url.js';
import { HttpRegrouping } from './http-regrouping.js';
import { API, JsonClient, type JsonClientOptions } from './json-client.js';
import {
  answerOf,
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

/** Reads and acts through the reading API of a collector; the first call connects. Throws `URL_INVALID`. */
export function createHttpReader(options: HttpReaderOptions): HttpReader {
  return new HttpReader(options);
}

class HttpReader implements FailureReader, FailureActions, FailureChanges, FailureReleases, Pick<Regrouping, 'decide'> {
  readonly #origin: string;
  readonly #client: JsonClient;
  readonly #regrouping: HttpRegrouping;
  #isClosed = false;

  constructor({ url, token, ...options }: HttpReaderOptions) {
    const base = parseCollectorUrl(url);
    this.#origin = base.origin;
    this.#client = new JsonClient({ base, token, ...options });
    this.#regrouping = new HttpRegrouping(url, token);
  }

  listIssues(options: IssueListOptions = {}): Promise<IssuePage> {
    return this.#get(`/issues${parameters(options)}`, isIssuePage);
  }

  countIssues(options: IssueCountOptions = {}): Promise<IssueCounts> {
    return this.#get(`/issues/counts${parameters(options)}`, isIssueCounts);
  }

  listValues(options: FieldValueOptions): Promise<FieldValues> {
    return this.#get(`/issues/values${parameters(options)}`, isFieldValues);
  }

  listIssuesSince(options: IssuesSinceOptions): Promise<IssuesSince> {
    return this.#get(`/issues/since${parameters(options)}`, isIssuesSince);
  }

  listReleases(options: Pick<IssueListOptions, 'limit'> = {}): Promise<Releases> {
    return this.#get(`/releases${parameters(options)}`, isReleases);
  }

  getRelease(name: string): Promise<ReleaseDetail | undefined> {
    return this.#find(`/releases/${encodeURIComponent(name)}`, isReleaseDetail);
  }

  getIssue(issueId: IssueId): Promise<IssueDetail | undefined> {
    return this.#find(`/issues/${issueId}`, isIssueDetail);
  }

  listEvents(issueId: IssueId, options: EventListOptions = {}): Promise<EventPage | undefined> {
    return this.#find(`/issues/${issueId}/events${parameters(options)}`, isEventPage);
  }

  summarizeEvents(issueId: IssueId, options: EventSummaryOptions = {}): Promise<EventsSummary | undefined> {
    return this.#find(`/issues/${issueId}/summary${parameters(options)}`, isEventsSummary);
  }

  searchEvents(options: EventListOptions = {}): Promise<EventSearchPage> {
    return this.#get(`/events${parameters(options)}`, isEventSearchPage);
  }

  getEvent(eventId: EventId): Promise<EventDetail | undefined> {
    return this.#find(`/events/${eventId}`, isEventDetail);
  }

  listRejected(options: EventListOptions = {}): Promise<RejectedPage> {
    return this.#get(`/rejected${parameters(options)}`, isRejectedPage);
  }

  explain(a: string, b: string): Promise<GroupingComparison> {
    return this.#get(`/explain?${new URLSearchParams({ a, b })}`, isGroupingComparison);
  }

  suggestions(options: { service?: string } = {}): Promise<Suggestions> {
    return this.#get(`/suggestions${parameters(options)}`, isSuggestions);
  }

  stats(): Promise<Stats> {
    return this.#get('/stats', isStats);
  }

  async access(): Promise<Access> {
    this.#assertOpen();
    const response = await this.#client.get(`${API}/access`);
    return NO_ACCESS.has(response.status) ? { actions: false } : answerOf(response, isAccess, this.#origin);
  }

  /** Never repeated: a comment would be added twice. */
  async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    this.#assertOpen();
    const response = await this.#client.post(`${API}/issues/${issueId}/actions`, request);
    return answerOf(response, isIssueDetail, this.#origin);
  }

  async recordRelease(change: ReleaseChange): Promise<ReleaseSummary> {
    this.#assertOpen();
    const { path, body } = requestOf(change);
    return answerOf(await this.#client.post(`${API}/releases${path}`, body), isReleaseSummary, this.#origin);
  }

  async *changes({
    query,
    after,
    signal = new AbortController().signal,
  }: ChangeOptions = {}): AsyncGenerator<IssueChange | ChangePosition> {
    this.#assertOpen();
    const path = `${API}/stream${parameters({ query, last_event_id: after })}`;
    try {
      const response = await this.#client.stream(path, signal);
      if (response.stream === undefined) throw problemFault(response, this.#origin);
      yield* parseChanges(response.stream, this.#origin);
    } catch (error) {
      if (error instanceof Fault) throw error;
      const sentence = `The connection to the collector at ${this.#origin} broke.`;
      if (!signal.aborted) throw new Fault('COLLECTOR_UNREACHABLE', sentence, { cause: error, retryable: true });
    }
  }

  decide(
    id: string,
    decision: Decision,
    options?: RegroupOptions & { by?: string | null },
  ): Promise<RegroupResult | null> {
    return this.#regrouping.decide(id, decision, options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#client.close();
    await this.#regrouping.close();
  }

  async #get<T>(path: string, check: ValidateFunction<T>): Promise<T> {
    const answer = await this.#find(path, check);
    if (answer !== undefined) return answer;
    throw invalidResponse(this.#origin, `the path ${API}${path.split('?')[0]} does not exist`);
  }

  /** Returns undefined for a 404. */
  async #find<T>(path: string, check: ValidateFunction<T>): Promise<T | undefined> {
    this.#assertOpen();
    const response = await this.#client.get(API + path);
    if (response.status === 404 && !hasSpecificCode(response)) return undefined;
    return answerOf(response, check, this.#origin);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Fault('READER_CLOSED', 'The reader was closed; open another.');
  }
}

/** The path and the body of the request for a change. */
function requestOf(change: ReleaseChange): { readonly path: string; readonly body: object } {
  const { release: version } = change;
  switch (change.kind) {
    case 'deploy':
      return { path: `/${encodeURIComponent(version)}/deploys`, body: change.deploy };
    case 'commits':
      return { path: '', body: { version, commits: change.commits } };
    case 'finalize':
      return {
        path: '',
        body: { version, released_at: change.releasedAt ?? new Date().toISOString(), url: change.url },
      };
    case 'create':
      return { path: '', body: { version, url: change.url } };
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
