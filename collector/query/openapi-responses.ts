import type { JsonObject } from '../../core/event/json.js';
import { INCOMPLETE } from './api-route.js';

/** A token is required only if the endpoint has `auth`. */
export const SECURITY: JsonObject[] = [{}, { bearer: [] }];

export const SECURITY_SCHEMES: JsonObject = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token of `auth`, or of `actions_auth`, which also allows actions. `bearertokenauth` may configure another scheme than Bearer.',
  },
};

/** Responses that every path may have; `refusals` refers to them by name. */
export const REFUSAL_RESPONSES: JsonObject = {
  Unauthorized: {
    ...problem('The token is missing (`TOKEN_MISSING`) or not valid (`TOKEN_WRONG`).'),
    headers: header('WWW-Authenticate', 'The required scheme.'),
  },
  Forbidden: problem(
    'The host is neither local nor configured (`HOST_NOT_ALLOWED`), or a page of another origin sends the request (`ORIGIN_NOT_ALLOWED`).',
  ),
  ForbiddenToAct: problem(
    'The host is neither local nor configured (`HOST_NOT_ALLOWED`), a page of another origin sends the request (`ORIGIN_NOT_ALLOWED`), or the token allows reading only (`TOKEN_MAY_NOT_ACT`).',
  ),
  RateLimited: {
    ...problem('The client exceeds its rate (`RATE_LIMITED`).'),
    headers: header('Retry-After', 'Seconds until the next request is allowed.'),
  },
  Unavailable: problem('The collector is starting or stopping: try again.'),
};

/** References to the common error responses, by status. */
export function refusals(to: 'reading' | 'acting'): JsonObject {
  return {
    401: refusal('Unauthorized'),
    403: refusal(to === 'acting' ? 'ForbiddenToAct' : 'Forbidden'),
    429: refusal('RateLimited'),
    503: refusal('Unavailable'),
  };
}

function refusal(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}

/** A response in JSON; `schema` names a component. */
export function json(description: string, schema: string): JsonObject {
  const headers = header(INCOMPLETE, 'Names of the peers whose data is missing. Absent: none.');
  return { description, headers, content: { 'application/json': { schema: component(schema) } } };
}

/** A response that is a problem document. */
export function problem(description: string): JsonObject {
  return { description, content: { 'application/problem+json': { schema: component('Problem') } } };
}

/** The response to a bad parameter. */
export const INVALID_PARAMETER = problem('A parameter is unknown, repeated or invalid: `parameter` names it.');

/** A reference to a schema by its name. */
export function component(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function header(name: string, description: string): JsonObject {
  return { [name]: { description, schema: { type: 'string' } } };
}
