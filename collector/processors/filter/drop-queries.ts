import type { RawPayload } from '../../../core/event/raw-payload.js';
import { type Matcher, payloadMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { matchesEverything, type QueryNode } from '../../../core/query/query-ast.js';
import { QueryFault } from '../../../core/query/query-fault.js';

/** Reads one query of `drop`. Throws `QUERY_INVALID` also for one that asks for nothing and so would drop every event. */
export function parseDropQuery(text: string): QueryNode {
  const query = parseQuery(text, 'payloads');
  if (matchesEverything(query)) throw new QueryFault(0, 'it asks for nothing, and would drop every event.');
  return query;
}

/** Tells the payloads that one of the queries matches. Throws `QUERY_INVALID`. */
export function dropMatcher(queries: readonly string[]): Matcher<RawPayload> {
  const matchers = queries.map((text) => payloadMatcher(parseDropQuery(text)));
  return (payload) => {
    for (const matches of matchers) if (matches(payload)) return true;
    return false;
  };
}
