import type { JsonObject } from '../../core/event/json.js';
import { GROUPING_VERSIONS } from '../../core/fingerprint/grouping-settings.js';
import { problem, refusals } from './openapi-refusals.js';

/** The body of a regrouping, as JSON Schema 2020-12. */
export const GROUPING_CHOICE_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  description: 'The rules to group by.',
  properties: {
    version: {
      type: ['integer', 'null'],
      enum: [...GROUPING_VERSIONS, null],
      description: 'Version of the built-in rules; absent: the newest.',
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
    keep_rules: { type: 'boolean', description: 'Whether `rules` follow those that group new events; default false.' },
  },
};

const answer = (description: string, schema: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});
const job = (description: string): JsonObject => answer(description, 'RegroupJob');

/** The paths of regroupings, and of decisions about suggestions, which may start one. */
export function regroupPaths(): JsonObject {
  const choice = { $ref: '#/components/schemas/GroupingChoice' };
  const begin = (
    operationId: string,
    summary: string,
    body: JsonObject,
    others: JsonObject = {},
    parameters: JsonObject[] = [],
  ): JsonObject => ({
    post: {
      operationId,
      summary,
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
      responses: {
        202: job('Started; `GET /regroup` returns the progress.'),
        400: problem('The body is not JSON.'),
        409: problem('Another regrouping runs, or nothing can be rolled back.'),
        413: problem('The body is too large.'),
        415: problem('The body is not sent as application/json.'),
        422: problem('The body is invalid: `errors` or `field` says where.'),
        ...refusals('acting'),
        ...others,
      },
    },
  });
  const decider = {
    type: 'object',
    additionalProperties: false,
    properties: { by: { type: 'string', maxLength: 200 } },
  };
  const id = { name: 'suggestion_id', in: 'path', required: true, schema: { type: 'string' } };
  const others = {
    200: answer('Decided without a regrouping.', 'DecidedSuggestion'),
    404: problem('The suggestion does not exist.'),
  };
  const decide = (decision: string, summary: string): JsonObject =>
    begin(`${decision}Suggestion`, summary, decider, others, [id]);
  return {
    '/suggestions/{suggestion_id}/accept': decide('accept', 'Groups new and stored events by the rule.'),
    '/suggestions/{suggestion_id}/dismiss': decide('dismiss', 'Lists the suggestion no more.'),
    '/suggestions/{suggestion_id}/undo': decide('undo', 'Dismisses an accepted one, or lists a dismissed one again.'),
    '/regroup': {
      get: {
        operationId: 'getRegroup',
        summary: 'The last regrouping.',
        responses: { 200: job('Found.'), ...refusals('reading') },
      },
      delete: {
        operationId: 'cancelRegroup',
        summary: 'Cancels the running regrouping and changes nothing.',
        responses: { 200: job('No regrouping was running.'), 202: job('Cancelled.'), ...refusals('acting') },
      },
    },
    '/regroup/preview': begin('previewRegroup', 'Computes what would change.', choice),
    '/regroup/apply': begin('applyRegroup', 'Regroups all stored events.', choice),
    '/regroup/roll_back': begin('rollBackRegroup', 'Rolls the last regrouping back.', {
      type: 'object',
      additionalProperties: false,
    }),
  };
}
