import type { JsonObject } from '../../core/event/json.js';
import { OPENAPI_SCHEMAS } from '../../generated/openapi-schemas.js';
import { sendJson } from '../http/messages/respond.js';
import { ACTING_ROUTES } from './acting-routes.js';
import { type ApiRoute, route } from './api-route.js';
import { REFUSAL_RESPONSES, refusals, SECURITY, SECURITY_SCHEMES } from './openapi-responses.js';
import { READING_ROUTES } from './reading-routes.js';
import { RELEASE_ROUTES } from './release-routes.js';

/** All routes; a fixed path precedes one with a parameter that also matches it. */
export const API_ROUTES: readonly ApiRoute[] = [
  ...READING_ROUTES,
  ...ACTING_ROUTES,
  ...RELEASE_ROUTES,
  route(
    {
      path: '/openapi.json',
      method: 'get',
      operationId: 'getOpenApi',
      summary: 'This document.',
      parameters: {},
      responses: {
        200: { description: 'The document.', content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
    async (_, { response }) => sendJson(response, 200, JSON.stringify(OPENAPI_DOCUMENT)),
  ),
];

/** The OpenAPI 3.1 document of the reading API, served at `/api/v1/openapi.json`. */
const OPENAPI_DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: {
    title: 'Faultline reading API',
    version: '1',
    description: 'Issues, events and statistics of the collector.',
  },
  servers: [{ url: '/api/v1' }],
  security: SECURITY,
  paths: documentedPaths(),
  components: { schemas: OPENAPI_SCHEMAS, responses: REFUSAL_RESPONSES, securitySchemes: SECURITY_SCHEMES },
};

function documentedPaths(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const one of API_ROUTES) paths[one.path] = { ...paths[one.path], [one.method]: operation(one) };
  return paths;
}

function operation({ path, method, operationId, summary, description, parameters, body, responses }: ApiRoute) {
  const documented = Object.entries(parameters).map(([name, { schema, description: meaning, isRequired = false }]) => {
    const place = path.includes(`{${name}}`) ? 'path' : 'query';
    return { name, in: place, required: isRequired, description: meaning, schema };
  });
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    parameters: documented,
    ...(body !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...refusals(method === 'get' ? 'reading' : 'acting'), ...responses },
  };
}
