import type { Facet, FacetValue } from '../../../generated/reader-answers.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import { printFieldName } from '../../query/print-query.js';

/** Fields that every event has, in the order in which they are shown. */
const FIELDS: Readonly<Record<string, (event: NormalizedEvent) => string | number | null>> = {
  env: (event) => event.env,
  release: (event) => event.release,
  service: (event) => event.service,
  level: (event) => event.level,
  status_code: (event) => event.status_code,
  route: (event) => event.route,
  user_id: (event) => event.user_id,
};

/** Values of a facet, and tags that become one. */
const MAX_VALUES = 10;
const MAX_TAGS = 16;
/** UTF-16 units of a value or of a tag's key; longer ones fit into no query. */
const MAX_UNITS = 1024;
/** Tags that are counted; senders may invent as many as they like. */
const MAX_COUNTED_TAGS = 16_384;

/** Counts what the fields of events hold, as far as they were added. */
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

  /** The fields that every event has, then the tags that most events have. */
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

/** How often each value of one field came. */
class ValueCounts {
  readonly #counts = new Map<string, number>();
  /** Those that have a value. */
  events = 0;

  /** An empty text is no value. */
  add(value: string): void {
    if (value === '') return;
    this.events += 1;
    if (value.length <= MAX_UNITS) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  /** `events`: how many there were, with and without a value. */
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
