import type { JsonObject } from '../../core/event/json.js';
import { GROUPING_VERSIONS } from '../../core/fingerprint/grouping-version.js';
import { refusals } from './openapi-refusals.js';
import { REGROUP_KINDS } from './regroup-jobs.js';

const text: JsonObject = { type: 'string' };
const count: JsonObject = { type: 'integer', minimum: 0 };
const uuid: JsonObject = { type: 'string', format: 'uuid' };
const date: JsonObject = { type: ['string', 'null'], description: 'RFC 3339, UTC.' };

const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const record = (properties: JsonObject): JsonObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const schema = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const orNull = (one: JsonObject, description: string): JsonObject => ({ anyOf: [one, { type: 'null' }], description });

const previewIssue: JsonObject = {
  issue_id: uuid,
  fingerprint: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  app: text,
  service: text,
  title: text,
  culprit: { type: ['string', 'null'] },
  events: { ...count, description: 'Of a part: those of the part.' },
  sample_events: { ...list(uuid), maxItems: 3, description: 'Of the oldest.' },
};
const change: JsonObject = record({ ...previewIssue, parts: list(schema('PreviewIssue')), parts_total: count });
const changes = (description: string): JsonObject => ({ ...list(change), maxItems: 50, description });

/** What is asked of and answered about regroupings, as JSON Schema 2020-12. */
export const REGROUP_SCHEMAS: JsonObject = {
  GroupingChoice: {
    type: 'object',
    additionalProperties: false,
    description: 'By what everything is grouped.',
    properties: {
      version: {
        type: ['integer', 'null'],
        enum: [...GROUPING_VERSIONS.map(({ version }) => version), null],
        description: 'Of the built-in rules; absent: the newest.',
      },
      patterns_off: {
        type: ['array', 'null'],
        items: text,
        description: "As in the configuration's section `grouping`; absent: the collector's own.",
      },
      rules: {
        type: ['array', 'null'],
        items: { type: 'object' },
        maxItems: 1_000,
        description: "As in the configuration's section `grouping`; absent: the collector's own.",
      },
    },
  },
  RegroupJob: record({
    state: { type: 'string', enum: ['idle', 'running', 'done', 'failed', 'cancelled'] },
    id: { type: ['string', 'null'], format: 'uuid' },
    kind: { type: ['string', 'null'], enum: [...REGROUP_KINDS, null] },
    started_at: date,
    ended_at: date,
    progress: orNull(record({ done_events: count, total_events: count }), 'Null before there was a job.'),
    grouping: orNull(
      record({ version: count, rules: count, patterns_off: count, is_configured: { type: 'boolean' } }),
      'What groups: how many rules, and whether new events are grouped by the same ones.',
    ),
    result: {
      anyOf: [schema('RegroupPreview'), schema('RegroupResult'), { type: 'null' }],
      description: 'Once the job is done.',
    },
    error: orNull(record({ code: text, detail: text }), 'Why the job failed.'),
  }),
  RegroupResult: record({
    id: { ...text, description: 'Of the line in groupings.ndjson.' },
    events: count,
    issues_before: count,
    issues_after: count,
  }),
  RegroupPreview: {
    ...record({
      events: count,
      issues_before: count,
      issues_after: count,
      unchanged_total: count,
      renamed_total: { ...count, description: 'Issues that keep their events and get another id.' },
      merged_total: count,
      merged: changes('Later issues that hold events of several earlier ones, which are their parts.'),
      split_total: count,
      split: changes('Earlier issues whose events several later ones hold, which are their parts.'),
      appeared_total: count,
      appeared: { ...list(schema('PreviewIssue')), maxItems: 50 },
    }),
    description: 'Totals are exact; lists hold the fifty largest, with twenty parts each.',
  },
  PreviewIssue: record(previewIssue),
};

/** The paths of regroupings. `problem` words an answer that is none. */
export function regroupPaths(problem: (description: string) => JsonObject): JsonObject {
  const job = (description: string): JsonObject => ({
    description,
    content: { 'application/json': { schema: schema('RegroupJob') } },
  });
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
    '/regroup/preview': begin('previewRegroup', 'What would change.', schema('GroupingChoice')),
    '/regroup/apply': begin('applyRegroup', 'Groups everything that is stored otherwise.', schema('GroupingChoice')),
    '/regroup/roll_back': begin('rollBackRegroup', 'Takes the last one back.', {
      type: 'object',
      additionalProperties: false,
    }),
  };
}
