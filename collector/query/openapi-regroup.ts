import type { JsonObject } from '../../core/event/json.js';
import { GROUPING_VERSIONS } from '../../core/fingerprint/grouping-settings.js';
import { problem, refusals } from './openapi-refusals.js';

/** By what everything is grouped, as JSON Schema 2020-12. */
export const GROUPING_CHOICE_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  description: 'By what everything is grouped.',
  properties: {
    version: {
      type: ['integer', 'null'],
      enum: [...GROUPING_VERSIONS, null],
      description: 'Of the built-in rules; absent: the newest.',
    },
    patterns_off: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: "As in the configuration's section `grouping`; absent: the collector's own.",
    },
    rules: {
      type: ['array', 'null'],
      items: { type: 'object' },
      maxItems: 1_000,
      description: "As in the configuration's section `grouping`; absent: the collector's own.",
    },
  },
};

/** The paths of regroupings. */
export function regroupPaths(): JsonObject {
  const job = (description: string): JsonObject => ({
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/RegroupJob' } } },
  });
  const choice = { $ref: '#/components/schemas/GroupingChoice' };
  const begin = (operationId: string, summary: string, body: JsonObject): JsonObject => ({
    post: {
      operationId,
      summary,
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
      responses: {
        202: job('It has begun; `GET /regroup` tells how far it is.'),
        400: problem('The body is not JSON.'),
        409: problem('Another one runs, or there is nothing to roll back.'),
        413: problem('The body is larger than 1 MiB.'),
        415: problem('The body is not sent as application/json.'),
        422: problem('The rules cannot be used: `errors` lists everything that is wrong with them.'),
        ...refusals('acting'),
      },
    },
  });
  return {
    '/regroup': {
      get: {
        operationId: 'getRegroup',
        summary: 'The last regrouping.',
        responses: { 200: job('Found.'), ...refusals('reading') },
      },
      delete: {
        operationId: 'cancelRegroup',
        summary: 'Calls the running regrouping off; everything stays as it was.',
        responses: { 200: job('None was running.'), 202: job('It ends.'), ...refusals('acting') },
      },
    },
    '/regroup/preview': begin('previewRegroup', 'What would change.', choice),
    '/regroup/apply': begin('applyRegroup', 'Groups everything that is stored otherwise.', choice),
    '/regroup/roll_back': begin('rollBackRegroup', 'Takes the last one back.', {
      type: 'object',
      additionalProperties: false,
    }),
  };
}
