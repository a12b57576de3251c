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
import type { ParameterTable } from './parameters.js';
import { issue_id, READING_ROUTES, type ReadingRoute, STREAM_PARAMETERS } from './reading-routes.js';

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
    ...Object.fromEntries(READING_ROUTES.map((route) => [route.path, { get: read(route) }])),
    '/issues/{issue_id}/actions': { post: act() },
    '/stream': { get: stream() },
    ...regroupPaths(),
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

function parametersOf(path: string, table: ParameterTable): JsonObject[] {
  return Object.entries(table).map(([name, { schema, description, isRequired = false }]) => {
    return { name, in: path.includes(`{${name}}`) ? 'path' : 'query', required: isRequired, description, schema };
  });
}

function read({ path, operationId, summary, answer: schema, parameters }: ReadingRoute): JsonObject {
  const isById = Object.values(parameters).some(({ isRequired }) => isRequired);
  return {
    operationId,
    summary,
    parameters: parametersOf(path, parameters),
    responses: {
      200: answer('Found.', { $ref: `#/components/schemas/${schema}` }),
      400: problem('A parameter is unknown, repeated or invalid: `parameter` names it.'),
      ...(isById && { 404: problem('The id does not exist.') }),
      ...refusals('reading'),
    },
  };
}

function act(): JsonObject {
  return {
    operationId: 'act',
    summary: 'Performs an action on an issue; responds when it is durable.',
    parameters: parametersOf('{issue_id}', { issue_id }),
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
  return {
    operationId: 'streamChanges',
    summary: 'Server-sent events for new, changed and regressed issues, each with its latest state.',
    description:
      'Events `issue.new`, `issue.changed` and `issue.regressed` carry an IssueSummary. `reset`: changes may be missing, read the lists again. `dropped`: the client read too slowly; the stream ends.',
    parameters: parametersOf('/stream', STREAM_PARAMETERS),
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
