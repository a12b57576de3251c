import type { Facet, FacetValue } from '../../../generated/reader-answers.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import { printFieldName } from '../../query/print-query.js';

/** Fields of every event, in display order. */
const FIELDS: Readonly<Record<string, (event: NormalizedEvent) => string | number | null>> = {
  env: (event) => event.env,
  release: (event) => event.release,
  service: (event) => event.service,
  level: (event) => event.level,
  status_code: (event) => event.status_code,
  route: (event) => event.route,
  user_id: (event) => event.user_id,
};

/** Most values of a facet, and most tags shown. */
const MAX_VALUES = 10;
const MAX_TAGS = 16;
/** UTF-16 units of a value or key; longer ones do not fit into a query. */
const MAX_UNITS = 1024;
/** Counted tags; senders may invent any number. */
const MAX_COUNTED_TAGS = 16_384;

/** Counts the values of events' fields. */
export class EventFacets {
  readonly #fields = Object.keys(FIELDS).map((field) => [field, new ValueCounts()] as const);
  readonly #tags = new Map<string, ValueCounts>();
  #events = 0;

  get events(): number {
    return this.#events;
  }

  add(event: NormalizedEvent): void {
    this.#events += 1;
    for (const [field, counts] of this.#fields) {
      const value = FIELDS[field]?.(event);
      if (value !== null && value !== undefined) counts.add(String(value));
    }
    for (const [key, value] of Object.entries(event.tags)) this.#countsOf(key)?.add(value);
  }

  /** The common fields, then the most frequent tags. */
  facets(): Facet[] {
    const tags = [...this.#tags]
      .filter(([, { events }]) => events > 0)
      .sort(([left, one], [right, other]) => other.events - one.events || compareTexts(left, right))
      .slice(0, MAX_TAGS)
      .map(([key, counts]) => [printFieldName(`tags.${key}`), counts] as const);
    return [...this.#fields, ...tags].map(([field, counts]) => counts.facet(field, this.#events));
  }

  #countsOf(key: string): ValueCounts | undefined {
    const known = this.#tags.get(key);
    if (known !== undefined || this.#tags.size >= MAX_COUNTED_TAGS || key.length > MAX_UNITS) return known;
    const counts = new ValueCounts();
    this.#tags.set(key, counts);
    return counts;
  }
}

/** Counts the values of one field. */
class ValueCounts {
  readonly #counts = new Map<string, number>();
  /** Events with a value. */
  events = 0;

  /** Ignores empty values. */
  add(value: string): void {
    if (value === '') return;
    this.events += 1;
    if (value.length <= MAX_UNITS) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  /** `events`: with and without a value. */
  facet(field: string, events: number): Facet {
    const values = [...this.#counts]
      .map(([value, count]): FacetValue => ({ value, count }))
      .sort((one, other) => other.count - one.count || compareTexts(one.value, other.value))
      .slice(0, MAX_VALUES);
    const shown = values.reduce((sum, { count }) => sum + count, 0);
    return { field, values, others: this.events - shown, without: events - this.events };
  }
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
