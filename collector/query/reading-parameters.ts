import { type EventId, type IssueId, toEventId, toIssueId } from '../../core/event/ids.js';
import { ISSUE_SORTS, type IssueSort } from '../../core/reader.js';
import type { Parameter } from './parameters.js';

const MAX_LIMIT = 500;

const ANY_TEXT: Parameter<string> = { expects: 'a text', parse: (text) => text };

const LIMIT: Parameter<number> = {
  expects: `a whole number from 1 to ${MAX_LIMIT}`,
  parse: (text) => (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= MAX_LIMIT ? Number(text) : undefined),
};

const SORT: Parameter<IssueSort> = {
  expects: `one of ${ISSUE_SORTS.join(', ')}`,
  parse: (text) => ISSUE_SORTS.find((sort) => sort === text),
};

/** What an issue list is asked with. */
export const ISSUE_LIST_PARAMETERS = { query: ANY_TEXT, sort: SORT, limit: LIMIT, cursor: ANY_TEXT } as const;

/** What a list of events is asked with. */
export const EVENT_LIST_PARAMETERS = { query: ANY_TEXT, limit: LIMIT, cursor: ANY_TEXT } as const;

const EVENT_OR_ISSUE_ID: Parameter<string> = {
  expects: 'the id of an event or of an issue, a UUID',
  parse: (text) => toEventId(text) ?? toIssueId(text),
};

/** What two things are compared with; both have to be given. */
export const EXPLAIN_PARAMETERS = { a: EVENT_OR_ISSUE_ID, b: EVENT_OR_ISSUE_ID } as const;

/** What a stream is asked with. */
export const STREAM_PARAMETERS = { query: ANY_TEXT, last_event_id: ANY_TEXT } as const;

/** Paths that take no parameters. */
export const NO_PARAMETERS = {} as const;

/** An issue's id in a path. */
export const ISSUE_ID: Parameter<IssueId> = { expects: 'a UUID', parse: toIssueId };

/** An event's id in a path. */
export const EVENT_ID: Parameter<EventId> = { expects: 'a UUID', parse: toEventId };
