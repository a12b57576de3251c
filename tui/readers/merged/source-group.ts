import { Fault } from '../../../core/event/fault.js';
import { isUnauthorized } from '../connection.js';
import type { SourceReader } from '../source.js';
import type { SourceLink } from './source-link.js';

/** The result of one source. */
export interface SourceResult<T> {
  readonly link: SourceLink;
  readonly value: T;
}

/** The results of the sources that responded, in their order, and the faults of the others. */
export interface SourceResults<T> {
  readonly results: readonly SourceResult<T>[];
  readonly faults: readonly Fault[];
}

/** All sources, queried in parallel. */
export class SourceGroup {
  readonly links: readonly SourceLink[];

  constructor(links: readonly SourceLink[]) {
    this.links = links;
  }

  /** Queries all sources; throws `unreachableFault` if none responds. */
  async queryAll<T>(key: string, call: (reader: SourceReader) => Promise<T>): Promise<SourceResults<T>> {
    return requireResult(await this.queryEach(this.links, () => ({ key, call })));
  }

  /** Sends some sources a request each; the results may be empty. */
  async queryEach<T>(
    links: readonly SourceLink[],
    requestFor: (link: SourceLink) => { key: string; call: (reader: SourceReader) => Promise<T> },
  ): Promise<SourceResults<T>> {
    const responses = await Promise.all(
      links.map(async (link) => {
        const { key, call } = requestFor(link);
        return { link, response: await link.query(key, call) };
      }),
    );
    return {
      results: responses.flatMap(({ link, response }) => ('value' in response ? { link, value: response.value } : [])),
      faults: responses.flatMap(({ response }) => ('fault' in response ? response.fault : [])),
    };
  }

  /** Returns the results that are not undefined; throws if all are and a source that failed may have one. */
  async find<T>(
    key: string,
    call: (reader: SourceReader) => Promise<T | undefined>,
  ): Promise<readonly SourceResult<T>[]> {
    const { results, faults } = await this.queryAll(key, call);
    const found = results.flatMap(({ link, value }) => (value === undefined ? [] : [{ link, value }]));
    if (found.length === 0 && faults.length > 0) throw unreachableFault(faults);
    return found;
  }
}

/** Throws `unreachableFault` if no source responded. */
export function requireResult<T>(round: SourceResults<T>): SourceResults<T> {
  if (round.results.length === 0 && round.faults.length > 0) throw unreachableFault(round.faults);
  return round;
}

/** Joins faults: `TOKEN_MISSING` if all sources require a token, otherwise `COLLECTOR_UNREACHABLE` (retryable). */
export function unreachableFault(faults: readonly Fault[]): Fault {
  const reasons = faults.map(({ message }) => message).join(' · ');
  if (faults.every(isUnauthorized)) return new Fault('TOKEN_MISSING', reasons);
  return new Fault('COLLECTOR_UNREACHABLE', reasons, { retryable: true });
}
