import { ISSUE_SORTS, SINCE_KINDS } from '../../core/contract/reader.js';
import type { JsonObject } from '../../core/event/json.js';
import { OPENAPI_SCHEMAS } from '../../generated/openapi-schemas.js';
import {
  PROBLEM_SCHEMA,
  problem,
  REFUSAL_RESPONSES,
  refusals,
  SECURITY,
  SECURITY_SCHEMES,
} from './openapi-refusals.js';
import { GROUPING_CHOICE_SCHEMA, regroupPaths } from './openapi-regroup.js';

const TEXT = { type: 'string' };
const query = inQuery('query', TEXT, 'The query; absent or blank matches everything.');
const sort = inQuery(
  'sort',
  { type: 'string', enum: [...ISSUE_SORTS], default: 'last_seen' },
  'Numbers and times sort descending, `last_seen` in the steps of a shown age (minutes, hours, days); `level` starts with the most severe, `status` with regressed, spiking and new ones.',
);
const me = inQuery('me', TEXT, 'The name whose open issues count as `mine`.');
const terms = inQuery('terms', { const: 'true' }, 'Also counts without each of the first eight terms.');
const prefix = inQuery('prefix', TEXT, 'Beginning of the values.');
const from = inQuery('from', TEXT, 'Only events at this time or later, RFC 3339; default: the first.');
const to = inQuery('to', TEXT, 'Only events before this time, RFC 3339; default: after the last.');
const buckets = inQuery(
  'buckets',
  { type: 'integer', minimum: 1, maximum: 240, default: 60 },
  'Number of histogram buckets.',
);
const limit = inQuery('limit', { type: 'integer', minimum: 1, maximum: 500, default: 50 }, 'Page size.');
const cursor = inQuery('cursor', TEXT, '`next_cursor` of the previous page, with the same query and sort.');
const issueId = idInPath('issue_id');
const eventId = idInPath('event_id');
const service = inQuery('service', TEXT, 'Default: all services.');

/** The OpenAPI 3.1 document of the reading API, served at `/api/v1/openapi.json`. */
export const OPENAPI_DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: {
    title: 'Faultline reading API',
    version: '1',
    description: 'Issues, events and statistics of the collector.',
  },
  servers: [{ url: '/api/v1' }],
  security: SECURITY,
  paths: {
    '/issues': {
      get: read('listIssues', 'Issues that match a query.', 'IssuePage', [query, sort, limit, cursor]),
    },
    '/issues/counts': {
      get: read('countIssues', 'Number of issues that match a query, by state.', 'IssueCounts', [query, me, terms]),
    },
    '/issues/values': {
      get: read(
        'listValues',
        'Values of a field over all issues, with the number of matching issues that have each.',
        'FieldValues',
        [{ ...inQuery('field', TEXT, 'A text field of issues.'), required: true }, prefix, query, limit],
      ),
    },
    '/issues/since': {
      get: read('listIssuesSince', 'Open issues that changed since an instant, for example a release.', 'IssuesSince', [
        { ...inQuery('from', TEXT, 'The instant, RFC 3339.'), required: true },
        { ...inQuery('before', TEXT, 'Start of the time it is compared with, RFC 3339.'), required: true },
        inQuery('kind', { type: 'string', enum: [...SINCE_KINDS], default: 'new' }, 'Which issues are listed.'),
        limit,
      ]),
    },
    '/releases': { get: read('listReleases', 'Releases, the one first seen last first.', 'Releases', [limit]) },
    '/issues/{issue_id}': {
      get: read('getIssue', 'One issue with its history and the reason for its grouping.', 'IssueDetail', [issueId]),
    },
    '/issues/{issue_id}/events': {
      get: read('listEvents', "An issue's events, newest first.", 'EventPage', [issueId, query, limit, cursor]),
    },
    '/issues/{issue_id}/summary': {
      get: read(
        'summarizeEvents',
        "Times and field values of an issue's events: the newest 5,000 that match, or as many as are read in 150 ms.",
        'EventsSummary',
        [issueId, query, from, to, buckets],
      ),
    },
    '/issues/{issue_id}/actions': { post: act(issueId) },
    '/events': {
      get: read('searchEvents', 'Events of all issues, newest first; a page ends after 200 ms.', 'EventSearchPage', [
        query,
        limit,
        cursor,
      ]),
    },
    '/events/{event_id}': { get: read('getEvent', 'One event, raw and normalized.', 'EventDetail', [eventId]) },
    '/rejected': {
      get: read('listRejected', 'Rejected payloads, newest first.', 'RejectedPage', [
        inQuery('query', TEXT, 'Words that the receiver, code, field, reason or payload contain.'),
        limit,
        cursor,
      ]),
    },
    '/explain': {
      get: read(
        'explain',
        'Why two events belong to the same issue or to two, and a rule that would change that.',
        'GroupingComparison',
        [compared('a'), compared('b')],
      ),
    },
    '/stream': { get: stream() },
    '/suggestions': { get: read('listSuggestions', 'Issues that look like one.', 'Suggestions', [service]) },
    ...regroupPaths(),
    '/stats': { get: read('getStats', 'Received events by outcome, and the size of the store.', 'Stats', []) },
    '/access': { get: read('getAccess', 'Permissions of the caller.', 'Access', []) },
    '/openapi.json': {
      get: {
        operationId: 'getOpenApi',
        summary: 'This document.',
        responses: { 200: answer('The document.', { type: 'object' }), ...refusals('reading') },
      },
    },
  },
  components: {
    schemas: { ...OPENAPI_SCHEMAS, GroupingChoice: GROUPING_CHOICE_SCHEMA, Problem: PROBLEM_SCHEMA },
    responses: REFUSAL_RESPONSES,
    securitySchemes: SECURITY_SCHEMES,
  },
};

function compared(name: 'a' | 'b'): JsonObject {
  const description = 'Id of an event, or of an issue for its first event.';
  return { ...inQuery(name, { type: 'string', format: 'uuid' }, description), required: true };
}

function inQuery(name: string, schema: JsonObject, description: string): JsonObject {
  return { name, in: 'query', required: false, description, schema };
}

function idInPath(name: string): JsonObject {
  return {
    ...inQuery(name, { type: 'string', format: 'uuid' }, 'In upper or lower case.'),
    in: 'path',
    required: true,
  };
}

function read(operationId: string, summary: string, schema: string, parameters: JsonObject[]): JsonObject {
  const isById = parameters.some(({ required }) => required === true);
  return {
    operationId,
    summary,
    parameters,
    responses: {
      200: answer('Found.', { $ref: `#/components/schemas/${schema}` }),
      400: problem('A parameter is unknown, repeated or invalid: `parameter` names it.'),
      ...(isById && { 404: problem('The id does not exist.') }),
      ...refusals('reading'),
    },
  };
}

function act(id: JsonObject): JsonObject {
  return {
    operationId: 'act',
    summary: 'Performs an action on an issue; responds when it is durable.',
    parameters: [id],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ActionRequest' } } },
    },
    responses: {
      200: answer('The issue after the action.', { $ref: '#/components/schemas/IssueDetail' }),
      400: problem('The id is not a UUID, or the body is not JSON.'),
      404: problem('The issue, or one that the body names, does not exist.'),
      413: problem('The body is larger than 256 KiB.'),
      415: problem('The content type is not application/json.'),
      422: problem('The action is invalid: `field` is a JSON pointer to the member.'),
      ...refusals('acting'),
      503: problem('The collector is starting or stopping, or cannot write: try again.'),
    },
  };
}

function stream(): JsonObject {
  const resume = 'Resumes after the event with this id; the header Last-Event-ID takes precedence.';
  return {
    operationId: 'streamChanges',
    summary: 'Server-sent events for new, changed and regressed issues, each with its latest state.',
    description:
      'Events `issue.new`, `issue.changed` and `issue.regressed` carry an IssueSummary. `reset`: changes may be missing, read the lists again. `dropped`: the client read too slowly; the stream ends.',
    parameters: [query, inQuery('last_event_id', TEXT, resume)],
    responses: {
      200: {
        description: 'Runs until either side ends it.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      400: problem('A parameter is unknown, repeated or invalid: `parameter` names it.'),
      ...refusals('reading'),
      503: problem('100 streams are open, or the collector is starting or stopping: try again.'),
    },
  };
}

function answer(description: string, schema: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema } } };
}
