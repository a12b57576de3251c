import { printable } from '../../config/values/printable.js';
import { ExplainFault } from '../../core/contract/explain-fault.js';
import { ISSUE_SORTS, SINCE_KINDS } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { toEventId, toIssueId } from '../../core/event/ids.js';
import { QueryFault } from '../../core/query/query-fault.js';
import { findQueryField, isListed } from '../../core/query/query-fields.js';
import type { Stats } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { type ApiCall, type ApiRoute, type ReadingSources, route, sendAnswer } from './api-route.js';
import { INVALID_PARAMETER, json, problem } from './openapi-responses.js';
import {
  oneOf,
  type Parameter,
  type ParameterTable,
  type ParameterValues,
  required,
  text,
  time,
  wholeNumber,
} from './parameters.js';

/** The parameter that caused a fault of the reader. */
const PARAMETER_OF_FAULT: Readonly<Record<string, string>> = {
  QUERY_INVALID: 'query',
  CURSOR_INVALID: 'cursor',
  // Each parameter alone is valid, so the range ends before it starts.
  PARAMETER_INVALID: 'to',
};

const UUID = { type: 'string', format: 'uuid' };

function idInPath<Id>(parse: (text: string) => Id | undefined) {
  return required({ expects: 'a UUID', parse, schema: UUID, description: 'In upper or lower case.' });
}

/** The id of an issue in a path. */
export const issue_id = idInPath(toIssueId);
/** A query about issues or events. */
export const query = text('The query; absent or blank matches everything.');

const limit = wholeNumber(500, 50, 'Page size.');
const cursor = text('`next_cursor` of the previous page, with the same query and sort.');
const sort = oneOf(
  ISSUE_SORTS,
  'last_seen',
  'Numbers and times sort descending, `last_seen` in the steps of a shown age (minutes, hours, days); `level` starts with the most severe, `status` with regressed, spiking and new ones.',
);
const terms: Parameter<true> = {
  expects: 'true',
  parse: (value) => (value === 'true' ? true : undefined),
  schema: { const: 'true' },
  description: 'Also counts without each of the first eight terms.',
};
const field = required<string>({
  expects: 'a text field of issues, for example service',
  parse: (name) => {
    const queryField = findQueryField(name);
    return queryField !== undefined && isListed(queryField) ? name : undefined;
  },
  schema: { type: 'string' },
  description: 'A text field of issues.',
});
const compared = required<string>({
  expects: 'the id of an event or of an issue, a UUID',
  parse: (id) => toEventId(id) ?? toIssueId(id),
  schema: UUID,
  description: 'Id of an event, or of an issue for its first event.',
});

interface ReadingRoute<Table extends ParameterTable> extends Pick<ApiRoute, 'path' | 'operationId' | 'summary'> {
  /** Name of the schema of the answer. */
  readonly answer: string;
  readonly parameters: Table;
  readonly read: (values: ParameterValues<Table>, call: ApiCall) => Promise<object>;
}

/** Creates a route that responds with what `read` returns. */
function reading<Table extends ParameterTable>({ answer, read, ...documented }: ReadingRoute<Table>): ApiRoute {
  const isById = Object.values(documented.parameters).some(({ isRequired }) => isRequired);
  const responses = {
    200: json('Found.', answer),
    400: INVALID_PARAMETER,
    ...(isById && { 404: problem('The id does not exist.') }),
  };
  return route({ ...documented, method: 'get', responses }, async (values, call) => {
    const body = await read(values, call).catch((error: unknown) => nameParameter(error, PARAMETER_OF_FAULT));
    sendAnswer(call, body);
  });
}

/** Rethrows a fault with the name of the parameter that caused it. */
export function nameParameter(error: unknown, parameterOfFault: typeof PARAMETER_OF_FAULT): never {
  // A RequestFault names its parameter already.
  if (!(error instanceof Fault) || error instanceof RequestFault) throw error;
  const parameter = parameterOfFault[error.code];
  if (parameter === undefined) throw error;
  const members = error instanceof QueryFault ? { parameter, column: error.column } : { parameter };
  throw new RequestFault(error.code, error.message, { cause: error, members });
}

/** The GET routes; a fixed path precedes one with a parameter that also matches it. */
export const READING_ROUTES: readonly ApiRoute[] = [
  reading({
    path: '/issues',
    operationId: 'listIssues',
    summary: 'Issues that match a query.',
    answer: 'IssuePage',
    parameters: { query, sort, limit, cursor },
    read: (values, { reader }) => reader().listIssues(values),
  }),
  reading({
    path: '/issues/counts',
    operationId: 'countIssues',
    summary: 'Number of issues that match a query, by state.',
    answer: 'IssueCounts',
    parameters: { query, me: text('The name whose open issues count as `mine`.'), terms },
    read: (values, { reader }) => reader().countIssues(values),
  }),
  reading({
    path: '/issues/values',
    operationId: 'listValues',
    summary: 'Values of a field over all issues, with the number of matching issues that have each.',
    answer: 'FieldValues',
    parameters: { field, prefix: text('Beginning of the values.'), query, limit },
    read: (values, { reader }) => reader().listValues(values),
  }),
  reading({
    path: '/issues/since',
    operationId: 'listIssuesSince',
    summary: 'Open issues that changed since an instant, for example a release.',
    answer: 'IssuesSince',
    parameters: {
      from: required(time('The instant, RFC 3339.')),
      before: required(time('Start of the time it is compared with, RFC 3339.')),
      kind: oneOf(SINCE_KINDS, 'new', 'Which issues are listed.'),
      limit,
    },
    read: (values, { reader }) => reader().listIssuesSince(values),
  }),
  reading({
    path: '/releases',
    operationId: 'listReleases',
    summary: 'Releases, the one first seen last first.',
    answer: 'Releases',
    parameters: { limit },
    read: (values, { reader }) => reader().listReleases(values),
  }),
  reading({
    path: '/releases/{release}',
    operationId: 'getRelease',
    summary: 'One release with its commits.',
    answer: 'ReleaseDetail',
    parameters: { release: required(text('The name of a release.')) },
    read: async ({ release: name }, { reader }) => orNotFound('release', name, await reader().getRelease(name)),
  }),
  reading({
    path: '/issues/{issue_id}',
    operationId: 'getIssue',
    summary: 'One issue with its history and the reason for its grouping.',
    answer: 'IssueDetail',
    parameters: { issue_id },
    read: async ({ issue_id: id }, { reader }) => orNotFound('issue', id, await reader().getIssue(id)),
  }),
  reading({
    path: '/issues/{issue_id}/events',
    operationId: 'listEvents',
    summary: "An issue's events, newest first.",
    answer: 'EventPage',
    parameters: { issue_id, query, limit, cursor },
    read: async ({ issue_id: id, ...options }, { reader }) =>
      orNotFound('issue', id, await reader().listEvents(id, options)),
  }),
  reading({
    path: '/issues/{issue_id}/summary',
    operationId: 'summarizeEvents',
    summary:
      "Times and field values of an issue's events: the newest 5,000 that match, or as many as are read in 150 ms.",
    answer: 'EventsSummary',
    parameters: {
      issue_id,
      query,
      from: time('Only events at this time or later, RFC 3339; default: the first.'),
      to: time('Only events before this time, RFC 3339; default: after the last.'),
      buckets: wholeNumber(240, 60, 'Number of histogram buckets.'),
    },
    read: async ({ issue_id: id, ...options }, { reader }) =>
      orNotFound('issue', id, await reader().summarizeEvents(id, options)),
  }),
  reading({
    path: '/events',
    operationId: 'searchEvents',
    summary: 'Events of all issues, newest first; a page ends after 200 ms.',
    answer: 'EventSearchPage',
    parameters: { query, limit, cursor },
    read: (values, { reader }) => reader().searchEvents(values),
  }),
  reading({
    path: '/events/{event_id}',
    operationId: 'getEvent',
    summary: 'One event, raw and normalized.',
    answer: 'EventDetail',
    parameters: { event_id: idInPath(toEventId) },
    read: async ({ event_id: id }, { reader }) => orNotFound('event', id, await reader().getEvent(id)),
  }),
  reading({
    path: '/rejected',
    operationId: 'listRejected',
    summary: 'Rejected payloads, newest first.',
    answer: 'RejectedPage',
    parameters: { query: text('Words that the receiver, code, field, reason or payload contain.'), limit, cursor },
    read: (values, { reader }) => reader().listRejected(values),
  }),
  reading({
    path: '/explain',
    operationId: 'explain',
    summary: 'Why two events belong to the same issue or to two, and a rule that would change that.',
    answer: 'GroupingComparison',
    parameters: { a: compared, b: compared },
    read: ({ a, b }, { reader }) => reader().explain(a, b).catch(nameSide),
  }),
  reading({
    path: '/suggestions',
    operationId: 'listSuggestions',
    summary: 'Issues that look like one.',
    answer: 'Suggestions',
    parameters: { service: text('Default: all services.') },
    // Those that can be decided here.
    read: (values, { ownReader }) => ownReader().suggestions(values),
  }),
  reading({
    path: '/stats',
    operationId: 'getStats',
    summary: 'Received events by outcome, and the size of the store.',
    answer: 'Stats',
    parameters: {},
    read: async (_, call) => {
      const { group } = call;
      return group === undefined ? ownStats(call) : { ...(await group.stats()), peers: group.peers() };
    },
  }),
  reading({
    path: '/access',
    operationId: 'getAccess',
    summary: 'Permissions of the caller.',
    answer: 'Access',
    parameters: {},
    read: async (_, { reader, mayAct, request }) => {
      const access = await reader().access();
      return { ...access, actions: access.actions && mayAct(request) };
    },
  }),
];

/** The statistics of this collector. */
export async function ownStats({
  reader,
  ledger,
  serviceStats,
}: Pick<ReadingSources, 'reader' | 'ledger' | 'serviceStats'>): Promise<Stats> {
  return { ...(await reader().stats()), receivers: ledger.snapshot(), ...serviceStats() };
}

function orNotFound<Found extends object>(
  what: 'issue' | 'event' | 'release',
  id: string,
  found: Found | undefined,
): Found {
  if (found !== undefined) return found;
  throw new RequestFault(`${what.toUpperCase()}_NOT_FOUND`, `${what} ${printable(id)} does not exist`);
}

function nameSide(error: unknown): never {
  if (!(error instanceof ExplainFault)) throw error;
  throw new RequestFault(error.code, error.message, { cause: error, members: { parameter: error.side } });
}
