import type { JsonObject } from '../../core/event/json.js';
import { ACTION_NAMES } from '../../core/reader.js';

const text = (maxLength: number, description: string): JsonObject => ({ type: 'string', maxLength, description });
const issues: JsonObject = {
  type: 'array',
  items: { type: 'string', format: 'uuid' },
  minItems: 1,
  maxItems: 500,
  description:
    '`merge`: what becomes part of this issue. `split`: which of its merged ones are issues of their own again.',
};

/** `ActionRequest` of core/reader.ts as JSON Schema 2020-12. */
export const ACTION_REQUEST_SCHEMA: JsonObject = {
  type: 'object',
  required: ['action'],
  additionalProperties: false,
  description: 'What is to be done; each action takes only the members that name it, and `actor` and `reason`.',
  properties: {
    action: { type: 'string', enum: [...ACTION_NAMES] },
    actor: { type: ['string', 'null'], maxLength: 200, description: 'Who does it.' },
    reason: { type: ['string', 'null'], maxLength: 2_000, description: 'Why.' },
    in_next_release: {
      type: 'boolean',
      description: '`resolve`: only an event of a later release than those seen brings it back.',
    },
    in_release: text(200, '`resolve`: only an event of this release or a later one brings it back.'),
    snooze: text(64, '`ignore`: 7d, 100x, 100x/1h, until:2026-12-24; absent: for ever.'),
    assignee: { type: ['string', 'null'], maxLength: 200, description: '`assign`; null takes the assignment away.' },
    text: text(16_384, '`comment`.'),
    issues,
    fingerprints: {
      type: 'array',
      items: { type: 'string', pattern: '^[0-9a-f]{32}$' },
      minItems: 1,
      maxItems: 500,
      description: '`split`: members by their fingerprints; without `issues` and this, all members.',
    },
    undoes: text(64, '`undo`: id of an action; absent: the latest one of this issue that stands and is no `undo`.'),
  },
};
