import type { Request } from 'express';
import { ExplainFault } from '../../core/contract/explain-fault.js';
import { type FailureActions, type FailureReader, ISSUE_SORTS, SINCE_KINDS } from '../../core/contract/reader.js';
import { toEventId, toIssueId } from '../../core/event/ids.js';
import { parseTimestamp } from '../../core/normalize/timestamp.js';
import { findQueryField, isListed } from '../../core/query/query-fields.js';
import type { Stats } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { ChangeStreams } from './change-streams.js';
import { type Parameter, type ParameterTable, type ParameterValues, parseParameters } from './parameters.js';
import type { RegroupJobs } from './regroup-jobs.js';

/** What the reading API serves. */
export interface ReadingSources {
  readonly reader: () => FailureReader;
  readonly actions: () => FailureActions;
  readonly streams: ChangeStreams;
  readonly regroupings: RegroupJobs;
  readonly ledger: Ledger;
  /** Whether the sender of a request may act. */
  readonly mayAct: (request: Request) => boolean;
  readonly serviceStats: () => Pick<Stats, 'endpoints' | 'addresses' | 'exporters' | 'retention'>;
}

/** A GET route of the reading API, as it is served and documented. */
export interface ReadingRoute {
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Name of the schema of its response. */
  readonly answer: string;
  readonly parameters: ParameterTable;
  readonly handle: (request: Request, sources: ReadingSources) => Promise<object>;
}

const TEXT = { type: 'string' };
const UUID = { type: 'string', format: 'uuid' };

function text(description: string): Parameter<string> {
  return { expects: 'a text', parse: (given) => given, schema: TEXT, description };
}

function time(description: string): Parameter<string> {
  const parse = (given: string) => (parseTimestamp(given) === undefined ? undefined : given);
  return { expects: 'a time, for example 2026-11-21T10:00:00Z', parse, schema: TEXT, description };
}

function oneOf<Value extends string>(
  values: readonly Value[],
  byDefault: Value,
  description: string,
): Parameter<Value> {
  const parse = (given: string) => values.find((value) => value === given);
  const schema = { type: 'string', enum: [...values], default: byDefault };
  return { expects: `one of ${values.join(', ')}`, parse, schema, description };
}

/** `maximum` has three digits. */
function wholeNumber(maximum: number, byDefault: number, description: string): Parameter<number> {
  return {
    expects: `a whole number from 1 to ${maximum}`,
    parse: (given) => (/^[1-9][0-9]{0,2}$/.test(given) && Number(given) <= maximum ? Number(given) : undefined),
    schema: { type: 'integer', minimum: 1, maximum, default: byDefault },
    description,
  };
}

function required<Value>(parameter: Parameter<Value>) {
  return { ...parameter, isRequired: true as const };
}

function idInPath<Id>(parse: (given: string) => Id | undefined) {
  return required({ expects: 'a UUID', parse, schema: UUID, description: 'In upper or lower case.' });
}

/** The id of an issue in a path. */
export const issue_id = idInPath(toIssueId);
const query = text('The query; absent or blank matches everything.');

const limit = wholeNumber(500, 50, 'Page size.');
const cursor = text('`next_cursor` of the previous page, with the same query and sort.');
const sort = oneOf(
  ISSUE_SORTS,
  'last_seen',
  'Numbers and times sort descending, `last_seen` in the steps of a shown age (minutes, hours, days); `level` starts with the most severe, `status` with regressed, spiking and new ones.',
);
const terms: Parameter<true> = {
  expects: 'true',
  parse: (given) => (given === 'true' ? true : undefined),
  schema: { const: 'true' },
  description: 'Also counts without each of the first eight terms.',
};
const field = required<string>({
  expects: 'a text field of issues, for example service',
  parse: (given) => {
    const found = findQueryField(given);
    return found !== undefined && isListed(found) ? given : undefined;
  },
  schema: TEXT,
  description: 'A text field of issues.',
});
const compared = required<string>({
  expects: 'the id of an event or of an issue, a UUID',
  parse: (given) => toEventId(given) ?? toIssueId(given),
  schema: UUID,
  description: 'Id of an event, or of an issue for its first event.',
});

function route<Table extends ParameterTable>(
  [path, operationId, answer, summary]: readonly [path: string, operationId: string, answer: string, summary: string],
  parameters: Table,
  handle: (given: ParameterValues<Table>, sources: ReadingSources, request: Request) => Promise<object>,
): ReadingRoute {
  const parsed: ReadingRoute['handle'] = async (request, sources) =>
    await handle(parseParameters(request, parameters), sources, request);
  return { path, operationId, summary, answer, parameters, handle: parsed };
}

/** The GET routes; a fixed path precedes one with a parameter that also matches it. */
export const READING_ROUTES: readonly ReadingRoute[] = [
  route(
    ['/issues', 'listIssues', 'IssuePage', 'Issues that match a query.'],
    { query, sort, limit, cursor },
    (given, { reader }) => reader().listIssues(given),
  ),
  route(
    ['/issues/counts', 'countIssues', 'IssueCounts', 'Number of issues that match a query, by state.'],
    { query, me: text('The name whose open issues count as `mine`.'), terms },
    (given, { reader }) => reader().countIssues(given),
  ),
  route(
    [
      '/issues/values',
      'listValues',
      'FieldValues',
      'Values of a field over all issues, with the number of matching issues that have each.',
    ],
    { field, prefix: text('Beginning of the values.'), query, limit },
    (given, { reader }) => reader().listValues(given),
  ),
  route(
    [
      '/issues/since',
      'listIssuesSince',
      'IssuesSince',
      'Open issues that changed since an instant, for example a release.',
    ],
    {
      from: required(time('The instant, RFC 3339.')),
      before: required(time('Start of the time it is compared with, RFC 3339.')),
      kind: oneOf(SINCE_KINDS, 'new', 'Which issues are listed.'),
      limit,
    },
    (given, { reader }) => reader().listIssuesSince(given),
  ),
  route(
    ['/releases', 'listReleases', 'Releases', 'Releases, the one first seen last first.'],
    { limit },
    (given, { reader }) => reader().listReleases(given),
  ),
  route(
    ['/issues/{issue_id}', 'getIssue', 'IssueDetail', 'One issue with its history and the reason for its grouping.'],
    { issue_id },
    async ({ issue_id: id }, { reader }) => found('issue', id, await reader().getIssue(id)),
  ),
  route(
    ['/issues/{issue_id}/events', 'listEvents', 'EventPage', "An issue's events, newest first."],
    { issue_id, query, limit, cursor },
    async ({ issue_id: id, ...options }, { reader }) => found('issue', id, await reader().listEvents(id, options)),
  ),
  route(
    [
      '/issues/{issue_id}/summary',
      'summarizeEvents',
      'EventsSummary',
      "Times and field values of an issue's events: the newest 5,000 that match, or as many as are read in 150 ms.",
    ],
    {
      issue_id,
      query,
      from: time('Only events at this time or later, RFC 3339; default: the first.'),
      to: time('Only events before this time, RFC 3339; default: after the last.'),
      buckets: wholeNumber(240, 60, 'Number of histogram buckets.'),
    },
    async ({ issue_id: id, ...options }, { reader }) => found('issue', id, await reader().summarizeEvents(id, options)),
  ),
  route(
    ['/events', 'searchEvents', 'EventSearchPage', 'Events of all issues, newest first; a page ends after 200 ms.'],
    { query, limit, cursor },
    (given, { reader }) => reader().searchEvents(given),
  ),
  route(
    ['/events/{event_id}', 'getEvent', 'EventDetail', 'One event, raw and normalized.'],
    { event_id: idInPath(toEventId) },
    async ({ event_id: id }, { reader }) => found('event', id, await reader().getEvent(id)),
  ),
  route(
    ['/rejected', 'listRejected', 'RejectedPage', 'Rejected payloads, newest first.'],
    { query: text('Words that the receiver, code, field, reason or payload contain.'), limit, cursor },
    (given, { reader }) => reader().listRejected(given),
  ),
  route(
    [
      '/explain',
      'explain',
      'GroupingComparison',
      'Why two events belong to the same issue or to two, and a rule that would change that.',
    ],
    { a: compared, b: compared },
    ({ a, b }, { reader }) => reader().explain(a, b).catch(nameSide),
  ),
  route(
    ['/suggestions', 'listSuggestions', 'Suggestions', 'Issues that look like one.'],
    { service: text('Default: all services.') },
    (given, { reader }) => reader().suggestions(given),
  ),
  route(
    ['/stats', 'getStats', 'Stats', 'Received events by outcome, and the size of the store.'],
    {},
    async (_, { reader, ledger, serviceStats }) => ({
      ...(await reader().stats()),
      receivers: ledger.snapshot(),
      ...serviceStats(),
    }),
  ),
  route(
    ['/access', 'getAccess', 'Access', 'Permissions of the caller.'],
    {},
    async (_, { reader, mayAct }, request) => {
      const access = await reader().access();
      return { ...access, actions: access.actions && mayAct(request) };
    },
  ),
];

function found<T extends object>(what: 'issue' | 'event', id: string, thing: T | undefined): T {
  if (thing !== undefined) return thing;
  const sentence = `${what} ${id} does not exist`;
  throw new RequestFault(what === 'issue' ? 'ISSUE_NOT_FOUND' : 'EVENT_NOT_FOUND', sentence);
}

function nameSide(error: unknown): never {
  if (!(error instanceof ExplainFault)) throw error;
  throw new RequestFault(error.code, error.message, { cause: error, members: { parameter: error.side } });
}

/** The stream's parameters. */
export const STREAM_PARAMETERS = {
  query,
  last_event_id: text('Resumes after the event with this id; the header Last-Event-ID takes precedence.'),
};
