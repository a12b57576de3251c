import type { JsonObject } from '../../core/event/json.js';

/** Everything may be asked without a token where the endpoint has no `auth`, and with one where it has. */
export const SECURITY: JsonObject[] = [{}, { bearer: [] }];

/** How a token is shown. */
export const SECURITY_SCHEMES: JsonObject = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token of `auth`, or of `actions_auth`, which lets act too. `bearertokenauth` may be configured with another scheme than Bearer.',
  },
};

/** What every problem document holds, as JSON Schema 2020-12. */
export const PROBLEM_SCHEMA: JsonObject = {
  type: 'object',
  description: 'RFC 9457, with a stable code.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 0 },
    detail: { type: 'string' },
    code: { type: 'string' },
    parameter: { type: 'string' },
    column: { type: 'integer', minimum: 0 },
    field: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'detail'],
        properties: { field: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

/** Answers to requests that no handler sees, by the names under which `refusals` refers to them. */
export const REFUSAL_RESPONSES: JsonObject = {
  Unauthorized: {
    ...problem('No token was shown (`TOKEN_MISSING`), or none of those that count (`TOKEN_WRONG`).'),
    headers: header('WWW-Authenticate', 'The scheme that is wanted.'),
  },
  Forbidden: problem(
    'The host is neither local nor configured (`HOST_NOT_ALLOWED`), or a page of another origin calls (`ORIGIN_NOT_ALLOWED`).',
  ),
  ForbiddenToAct: problem(
    'The host is neither local nor configured (`HOST_NOT_ALLOWED`), a page of another origin calls (`ORIGIN_NOT_ALLOWED`), or the token lets read only (`TOKEN_MAY_NOT_ACT`).',
  ),
  RateLimited: {
    ...problem('The client sends more requests than it may (`RATE_LIMITED`).'),
    headers: header('Retry-After', 'Seconds after which it may send one.'),
  },
  Unavailable: problem('The collector is starting or stopping: ask again.'),
};

/** What every path may answer beside its own, by status; acting has one reason more to be forbidden. */
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

/** A response that is a problem document. */
export function problem(description: string): JsonObject {
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } };
}

function header(name: string, description: string): JsonObject {
  return { [name]: { description, schema: { type: 'string' } } };
}
