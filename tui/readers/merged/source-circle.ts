import { Fault } from '../../../core/event/fault.js';
import type { SourceReader } from '../source.js';
import { isUnauthorized } from '../source-faults.js';
import type { SourceLink } from './source-link.js';

/** What one source answered. */
export interface Told<T> {
  readonly link: SourceLink;
  readonly value: T;
}

/** What all sources that answered said, in their order, and why the others did not. */
export interface Round<T> {
  readonly told: readonly Told<T>[];
  readonly silent: readonly Fault[];
}

/** All sources, asked side by side. */
export class SourceCircle {
  readonly links: readonly SourceLink[];

  constructor(links: readonly SourceLink[]) {
    this.links = links;
  }

  /** Asks every one; throws what `allSilent` makes of the reasons where none answers. */
  async askAll<T>(key: string, call: (reader: SourceReader) => Promise<T>): Promise<Round<T>> {
    return someTold(await this.askEach(this.links, () => ({ key, call })));
  }

  /** Asks some of them, each something of its own; it may be that none answers. */
  async askEach<T>(
    links: readonly SourceLink[],
    question: (link: SourceLink) => { key: string; call: (reader: SourceReader) => Promise<T> },
  ): Promise<Round<T>> {
    const answers = await Promise.all(
      links.map(async (link) => {
        const { key, call } = question(link);
        return { link, answer: await link.ask(key, call) };
      }),
    );
    const told = answers.flatMap(({ link, answer }) => ('value' in answer ? [{ link, value: answer.value }] : []));
    const silent = answers.flatMap(({ answer }) => ('fault' in answer ? [answer.fault] : []));
    return { told, silent };
  }

  /** What those that have something say; where none has it and one is silent, which may have it, that is the fault. */
  async find<T>(key: string, call: (reader: SourceReader) => Promise<T | undefined>): Promise<readonly Told<T>[]> {
    const { told, silent } = await this.askAll(key, call);
    const found = told.flatMap(({ link, value }) => (value === undefined ? [] : [{ link, value }]));
    if (found.length === 0 && silent.length > 0) throw allSilent(silent);
    return found;
  }
}

/** Throws what `allSilent` makes of the reasons where none answered. */
export function someTold<T>(round: Round<T>): Round<T> {
  if (round.told.length === 0 && round.silent.length > 0) throw allSilent(round.silent);
  return round;
}

/** With all reasons: `TOKEN_MISSING` where every one wants a token, else `COLLECTOR_UNREACHABLE` (retryable). */
export function allSilent(silent: readonly Fault[]): Fault {
  const reasons = silent.map(({ message }) => message).join(' · ');
  if (silent.every(isUnauthorized)) return new Fault('TOKEN_MISSING', reasons);
  return new Fault('COLLECTOR_UNREACHABLE', reasons, { retryable: true });
}
