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

function idInPath<Id>(parse: (given: string) => Id | undefined) {
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
  schema: { type: 'string' },
  description: 'A text field of issues.',
});
const compared = required<string>({
  expects: 'the id of an event or of an issue, a UUID',
  parse: (given) => toEventId(given) ?? toIssueId(given),
  schema: UUID,
  description: 'Id of an event, or of an issue for its first event.',
});

/** Creates a route that responds with what `read` returns. */
function reading<Table extends ParameterTable>(
  [path, operationId, schema, summary]: readonly [path: string, operationId: string, schema: string, summary: string],
  parameters: Table,
  read: (given: ParameterValues<Table>, call: ApiCall) => Promise<object>,
): ApiRoute {
  const isById = Object.values(parameters).some(({ isRequired }) => isRequired);
  const responses = {
    200: json('Found.', schema),
    400: INVALID_PARAMETER,
    ...(isById && { 404: problem('The id does not exist.') }),
  };
  return route({ path, method: 'get', operationId, summary, parameters, responses }, async (given, call) => {
    const body = await read(given, call).catch((error: unknown) => nameParameter(error, PARAMETER_OF_FAULT));
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
  reading(
    ['/issues', 'listIssues', 'IssuePage', 'Issues that match a query.'],
    { query, sort, limit, cursor },
    (given, { reader }) => reader().listIssues(given),
  ),
  reading(
    ['/issues/counts', 'countIssues', 'IssueCounts', 'Number of issues that match a query, by state.'],
    { query, me: text('The name whose open issues count as `mine`.'), terms },
    (given, { reader }) => reader().countIssues(given),
  ),
  reading(
    [
      '/issues/values',
      'listValues',
      'FieldValues',
      'Values of a field over all issues, with the number of matching issues that have each.',
    ],
    { field, prefix: text('Beginning of the values.'), query, limit },
    (given, { reader }) => reader().listValues(given),
  ),
  reading(
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
  reading(
    ['/releases', 'listReleases', 'Releases', 'Releases, the one first seen last first.'],
    { limit },
    (given, { reader }) => reader().listReleases(given),
  ),
  reading(
    ['/releases/{release}', 'getRelease', 'ReleaseDetail', 'One release with its commits.'],
    { release: required(text('The name of a release.')) },
    async ({ release: name }, { reader }) => found('release', name, await reader().getRelease(name)),
  ),
  reading(
    ['/issues/{issue_id}', 'getIssue', 'IssueDetail', 'One issue with its history and the reason for its grouping.'],
    { issue_id },
    async ({ issue_id: id }, { reader }) => found('issue', id, await reader().getIssue(id)),
  ),
  reading(
    ['/issues/{issue_id}/events', 'listEvents', 'EventPage', "An issue's events, newest first."],
    { issue_id, query, limit, cursor },
    async ({ issue_id: id, ...options }, { reader }) => found('issue', id, await reader().listEvents(id, options)),
  ),
  reading(
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
  reading(
    ['/events', 'searchEvents', 'EventSearchPage', 'Events of all issues, newest first; a page ends after 200 ms.'],
    { query, limit, cursor },
    (given, { reader }) => reader().searchEvents(given),
  ),
  reading(
    ['/events/{event_id}', 'getEvent', 'EventDetail', 'One event, raw and normalized.'],
    { event_id: idInPath(toEventId) },
    async ({ event_id: id }, { reader }) => found('event', id, await reader().getEvent(id)),
  ),
  reading(
    ['/rejected', 'listRejected', 'RejectedPage', 'Rejected payloads, newest first.'],
    { query: text('Words that the receiver, code, field, reason or payload contain.'), limit, cursor },
    (given, { reader }) => reader().listRejected(given),
  ),
  reading(
    [
      '/explain',
      'explain',
      'GroupingComparison',
      'Why two events belong to the same issue or to two, and a rule that would change that.',
    ],
    { a: compared, b: compared },
    ({ a, b }, { reader }) => reader().explain(a, b).catch(nameSide),
  ),
  reading(
    ['/suggestions', 'listSuggestions', 'Suggestions', 'Issues that look like one.'],
    { service: text('Default: all services.') },
    // Those that can be decided here.
    (given, { ownReader }) => ownReader().suggestions(given),
  ),
  reading(
    ['/stats', 'getStats', 'Stats', 'Received events by outcome, and the size of the store.'],
    {},
    async (_, call) => {
      const { group } = call;
      return group === undefined ? ownStats(call) : { ...(await group.stats()), peers: group.peers() };
    },
  ),
  reading(
    ['/access', 'getAccess', 'Access', 'Permissions of the caller.'],
    {},
    async (_, { reader, mayAct, request }) => {
      const access = await reader().access();
      return { ...access, actions: access.actions && mayAct(request) };
    },
  ),
];

/** The statistics of this collector. */
export async function ownStats({
  reader,
  ledger,
  serviceStats,
}: Pick<ReadingSources, 'reader' | 'ledger' | 'serviceStats'>): Promise<Stats> {
  return { ...(await reader().stats()), receivers: ledger.snapshot(), ...serviceStats() };
}

function found<T extends object>(what: 'issue' | 'event' | 'release', id: string, thing: T | undefined): T {
  if (thing !== undefined) return thing;
  throw new RequestFault(`${what.toUpperCase()}_NOT_FOUND`, `${what} ${printable(id)} does not exist`);
}

function nameSide(error: unknown): never {
  if (!(error instanceof ExplainFault)) throw error;
  throw new RequestFault(error.code, error.message, { cause: error, members: { parameter: error.side } });
}
