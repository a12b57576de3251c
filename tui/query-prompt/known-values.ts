import type { KnownValues } from '../../core/query/complete-query.js';
import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import type { TerminalState } from '../state/terminal-state.js';

type ValuesOf<Row> = (row: Row) => readonly (string | number | null)[];

/** What the loaded issues say of fields, by their names in the query language. */
const OF_ISSUES: Readonly<Record<string, ValuesOf<IssueSummary>>> = {
  level: ({ level }) => [level],
  service: ({ service }) => [service],
  app: ({ app }) => [app],
  env: ({ environments }) => environments,
  environment: ({ environments }) => environments,
  environments: ({ environments }) => environments,
  release: ({ releases }) => releases,
  releases: ({ releases }) => releases,
  error_name: ({ error_name }) => [error_name],
  culprit: ({ culprit }) => [culprit],
  title: ({ title }) => [title],
  assignee: ({ assignee }) => [assignee],
  type: ({ type }) => [type],
  fingerprint: ({ fingerprint }) => [fingerprint],
};

/** What the loaded events say. */
const OF_EVENTS: Readonly<Record<string, ValuesOf<EventSummary>>> = {
  level: ({ level }) => [level],
  service: ({ service }) => [service],
  env: ({ env }) => [env],
  release: ({ release }) => [release],
  route: ({ route }) => [route],
  method: ({ method }) => [method],
  status_code: ({ status_code }) => [status_code],
  user_id: ({ user_id }) => [user_id],
  request_id: ({ request_id }) => [request_id],
};

const TAG_PREFIX = 'tags.';
/** Rows that are looked at: completion is asked for at every Tab. */
const MAX_ROWS = 1_000;

/** The values that what is on the screens knows, the most frequent first. */
export function knownValues(state: TerminalState): KnownValues {
  const [{ list }] = state.stack;
  const issues = list.rows.slice(0, MAX_ROWS);
  const events = state.stack.flatMap((screen) =>
    screen.kind === 'issue' || screen.kind === 'events' ? screen.list.rows.slice(0, MAX_ROWS) : [],
  );
  const facets = state.stack.flatMap((screen) =>
    screen.kind === 'issue' ? ((screen.held ?? screen.whole)?.summary.facets ?? []) : [],
  );
  return {
    valuesOf: (field) => {
      const counted = new Map<string, number>();
      const count = (value: string | number | null, times: number): void => {
        if (value !== null && value !== '') counted.set(String(value), (counted.get(String(value)) ?? 0) + times);
      };
      for (const facet of facets) {
        if (facet.field === field) for (const { value, count: times } of facet.values) count(value, times);
      }
      for (const event of events) for (const value of OF_EVENTS[field]?.(event) ?? []) count(value, 1);
      for (const issue of issues) for (const value of OF_ISSUES[field]?.(issue) ?? []) count(value, 1);
      return [...counted].sort(([, one], [, other]) => other - one).map(([value]) => value);
    },
    keysOf: (prefix) =>
      prefix === TAG_PREFIX
        ? facets.flatMap(({ field }) => (field.startsWith(TAG_PREFIX) ? [field.slice(TAG_PREFIX.length)] : []))
        : [],
  };
}
