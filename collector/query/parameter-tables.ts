import { ISSUE_SORTS, type IssueSort, SINCE_KINDS, type SinceKind } from '../../core/contract/reader.js';
import { type EventId, type IssueId, toEventId, toIssueId } from '../../core/event/ids.js';
import { parseTimestamp } from '../../core/normalize/timestamp.js';
import { findQueryField, isListed } from '../../core/query/query-fields.js';
import type { Parameter } from './parameters.js';

const ANY_TEXT: Parameter<string> = { expects: 'a text', parse: (text) => text };

const LIMIT = wholeNumberTo(500);

const SORT: Parameter<IssueSort> = {
  expects: `one of ${ISSUE_SORTS.join(', ')}`,
  parse: (text) => ISSUE_SORTS.find((sort) => sort === text),
};

export const ISSUE_LIST_PARAMETERS = {
  query: ANY_TEXT,
  sort: SORT,
  limit: LIMIT,
  cursor: ANY_TEXT,
} as const;

const TRUE: Parameter<true> = { expects: 'true', parse: (text) => (text === 'true' ? true : undefined) };

export const ISSUE_COUNT_PARAMETERS = { query: ANY_TEXT, me: ANY_TEXT, terms: TRUE } as const;

const FIELD: Parameter<string> = {
  expects: 'a text field of issues, for example service',
  parse: (text) => {
    const field = findQueryField(text);
    return field !== undefined && isListed(field) ? text : undefined;
  },
};

/** `field` is required. */
export const VALUE_PARAMETERS = { field: FIELD, prefix: ANY_TEXT, query: ANY_TEXT, limit: LIMIT } as const;

const TIME: Parameter<string> = {
  expects: 'a time, for example 2026-11-21T10:00:00Z',
  parse: (text) => (parseTimestamp(text) === undefined ? undefined : text),
};

const SINCE_KIND: Parameter<SinceKind> = {
  expects: `one of ${SINCE_KINDS.join(', ')}`,
  parse: (text) => SINCE_KINDS.find((kind) => kind === text),
};

/** Both times are required. */
export const SINCE_PARAMETERS = { from: TIME, before: TIME, kind: SINCE_KIND, limit: LIMIT } as const;

export const RELEASE_PARAMETERS = { limit: LIMIT } as const;

const BUCKETS = wholeNumberTo(240);

export const SUMMARY_PARAMETERS = { query: ANY_TEXT, from: TIME, to: TIME, buckets: BUCKETS } as const;

export const EVENT_LIST_PARAMETERS = { query: ANY_TEXT, limit: LIMIT, cursor: ANY_TEXT } as const;

const EVENT_OR_ISSUE_ID: Parameter<string> = {
  expects: 'the id of an event or of an issue, a UUID',
  parse: (text) => toEventId(text) ?? toIssueId(text),
};

/** Both are required. */
export const EXPLAIN_PARAMETERS = { a: EVENT_OR_ISSUE_ID, b: EVENT_OR_ISSUE_ID } as const;

export const SUGGESTION_PARAMETERS = { service: ANY_TEXT } as const;

export const STREAM_PARAMETERS = { query: ANY_TEXT, last_event_id: ANY_TEXT } as const;

export const NO_PARAMETERS = {} as const;

export const ISSUE_ID: Parameter<IssueId> = { expects: 'a UUID', parse: toIssueId };

export const EVENT_ID: Parameter<EventId> = { expects: 'a UUID', parse: toEventId };

/** `max` has three digits. */
function wholeNumberTo(max: number): Parameter<number> {
  return {
    expects: `a whole number from 1 to ${max}`,
    parse: (text) => (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
  };
}
