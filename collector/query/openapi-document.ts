import type { JsonObject } from '../../core/event/json.js';
import { ISSUE_SORTS } from '../../core/reader.js';
import { OPENAPI_SCHEMAS } from './openapi-schemas.js';

const query = parameter('query', 'query', { type: 'string' }, 'What to match; absent or blank matches everything.');
const sort = parameter(
  'sort',
  'query',
  { type: 'string', enum: [...ISSUE_SORTS], default: 'last_seen' },
  'Descending.',
);
const limit = parameter(
  'limit',
  'query',
  { type: 'integer', minimum: 1, maximum: 500, default: 50 },
  'Length of a page.',
);
const cursor = parameter(
  'cursor',
  'query',
  { type: 'string' },
  '`next_cursor` of the page before, with the same query and sort.',
);
const issueId = parameter('issue_id', 'path', { type: 'string', format: 'uuid' }, 'In upper or lower case.');
const eventId = parameter('event_id', 'path', { type: 'string', format: 'uuid' }, 'In upper or lower case.');

/** The reading API for machines, OpenAPI 3.1; served at `/api/v1/openapi.json`. */
export const OPENAPI_DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: {
    title: 'Faultline reading API',
    version: '1',
    description: 'What the collector stored: issues, their events, one event, and the numbers of the collector.',
  },
  servers: [{ url: '/api/v1' }],
  paths: {
    '/issues': { get: read('listIssues', 'Issues that match a query.', 'IssuePage', [query, sort, limit, cursor]) },
    '/issues/{issue_id}': {
      get: read('getIssue', 'One issue with its history and why its events are one.', 'IssueDetail', [issueId]),
    },
    '/issues/{issue_id}/events': {
      get: read('listEvents', "An issue's events, newest first.", 'EventPage', [issueId, query, limit, cursor]),
    },
    '/events/{event_id}': { get: read('getEvent', 'One event, raw and normalized.', 'EventDetail', [eventId]) },
    '/stats': { get: read('getStats', 'What was received and what became of it; size of the store.', 'Stats', []) },
    '/openapi.json': {
      get: {
        operationId: 'getOpenApi',
        summary: 'This document.',
        responses: { 200: answer('The document.', { type: 'object' }) },
      },
    },
  },
  components: { schemas: OPENAPI_SCHEMAS },
};

function parameter(name: string, where: 'query' | 'path', schema: JsonObject, description: string): JsonObject {
  return { name, in: where, required: where === 'path', description, schema };
}

function read(operationId: string, summary: string, schema: string, parameters: JsonObject[]): JsonObject {
  const isById = parameters.some(({ in: where }) => where === 'path');
  return {
    operationId,
    summary,
    parameters,
    responses: {
      200: answer('Found.', { $ref: `#/components/schemas/${schema}` }),
      400: problem('A parameter is unknown, repeated or not what is expected: `parameter` names it.'),
      403: problem('The host is neither local nor configured.'),
      ...(isById && { 404: problem('There is none with this id.') }),
      503: problem('The collector is starting or stopping: ask again.'),
    },
  };
}

function answer(description: string, schema: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema } } };
}

function problem(description: string): JsonObject {
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } };
}
