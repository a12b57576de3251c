import { Fault } from '../event/fault.js';
import { isUnauthorized } from './connection.js';
import type { SourceReader } from './source.js';
import type { SourceLink, SourceResponse } from './source-link.js';

/** The result of one source. */
export interface SourceResult<T> {
  readonly link: SourceLink;
  readonly value: T;
  /** Whether the source is lost and this is what was known before. */
  readonly isRemembered: boolean;
}

/** The results in the order of the sources, and the faults of those that did not respond. */
export interface SourceResults<T> {
  readonly results: readonly SourceResult<T>[];
  readonly faults: readonly Fault[];
}

/** All sources, queried in parallel. */
export class SourceGroup {
  readonly all: readonly SourceLink[];

  constructor(links: readonly SourceLink[]) {
    this.all = links;
  }

  /** Those that are read. */
  get links(): readonly SourceLink[] {
    return this.all.filter(({ isLeftOut }) => !isLeftOut);
  }

  /** Leaves out all but one; undefined: none. */
  choose(name: string | undefined): void {
    for (const link of this.all) link.isLeftOut = name !== undefined && link.name !== name;
  }

  /** Returns a function that names the sources which answers lacked since. */
  watchLost(): () => readonly string[] {
    const before = this.all.map(({ timesLost }) => timesLost);
    return () => this.all.filter(({ timesLost }, index) => timesLost !== before[index]).map(({ name }) => name);
  }

  /** Queries all sources; throws `unreachableFault` if none responds. */
  async queryAll<T>(key: string, call: (reader: SourceReader) => Promise<T>): Promise<SourceResults<T>> {
    return requireResult(await this.queryEach(this.links, (link) => link.query(key, call)));
  }

  /** Like `queryAll` of a named call with its options, for the values only. */
  async valuesOf<T>(name: string, options: object, call: (reader: SourceReader) => Promise<T>): Promise<readonly T[]> {
    const { results } = await this.queryAll(`${name} ${JSON.stringify(options)}`, call);
    return results.map(({ value }) => value);
  }

  /** Sends some sources a request each; the results may be empty. */
  async queryEach<T>(
    links: readonly SourceLink[],
    query: (link: SourceLink) => Promise<SourceResponse<T>>,
  ): Promise<SourceResults<T>> {
    const responses = await Promise.all(links.map(async (link) => ({ link, response: await query(link) })));
    return {
      results: responses.flatMap(({ link, response }) =>
        'value' in response ? { link, value: response.value, isRemembered: response.fault !== undefined } : [],
      ),
      faults: responses.flatMap(({ response }) => response.fault ?? []),
    };
  }

  /** Returns the results that are not undefined; throws if all are and a source that failed may have one. */
  async find<T>(
    key: string,
    call: (reader: SourceReader) => Promise<T | undefined>,
  ): Promise<readonly SourceResult<T>[]> {
    const { results, faults } = await this.queryAll(key, call);
    const defined = results.flatMap(({ value, ...result }) => (value === undefined ? [] : [{ ...result, value }]));
    if (defined.length === 0 && faults.length > 0) throw unreachableFault(faults);
    return defined;
  }
}

/** Throws `unreachableFault` if no source responded. */
export function requireResult<T>(round: SourceResults<T>): SourceResults<T> {
  if (round.results.every(({ isRemembered }) => isRemembered) && round.faults.length > 0)
    throw unreachableFault(round.faults);
  return round;
}

/** Joins faults: `TOKEN_MISSING` if all sources require a token, otherwise `COLLECTOR_UNREACHABLE` (retryable). */
export function unreachableFault(faults: readonly Fault[]): Fault {
  const reasons = faults.map(({ message }) => message).join(' · ');
  if (faults.every(isUnauthorized)) return new Fault('TOKEN_MISSING', reasons);
  return new Fault('COLLECTOR_UNREACHABLE', reasons, { retryable: true });
}
