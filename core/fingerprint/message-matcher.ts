import type { MessagePattern } from './message-patterns/message-pattern.js';

/** Left as it is, because somebody switched its row off. */
export const LEAVE = Symbol('leave');

/** What a token becomes. */
export interface MatcherRow {
  readonly becomes: MessagePattern['becomes'] | typeof LEAVE;
  readonly isCount: boolean;
}

/** One sticky expression, in which an empty group stands behind what becomes `rows[n]`: group n + 1. */
interface Compiled {
  readonly expression: RegExp;
  readonly rows: readonly MatcherRow[];
}

/** Several rows as one expression, which is compiled when it is first used: few texts need all matchers. */
export class Matcher {
  readonly #compile: () => Compiled;
  #compiled: Compiled | undefined;

  constructor(chosen: readonly MessagePattern[], off: ReadonlySet<string>) {
    this.#compile = () => compile(chosen, off);
  }

  /** The row that matches at a place with at least one character; `end` tells where its text ends. */
  rowAt(text: string, start: number): MatcherRow | undefined {
    this.#compiled ??= this.#compile();
    const { expression, rows } = this.#compiled;
    expression.lastIndex = start;
    const match = expression.exec(text);
    if (match === null || expression.lastIndex === start) return undefined;
    let group = 1;
    while (match[group] === undefined) group++;
    return rows[group - 1];
  }

  /** Where the last match ended. */
  get end(): number {
    return this.#compiled?.expression.lastIndex ?? 0;
  }
}

/** Neighbours that become the same share a group, since each costs time in each match. The groups are empty, so that no text is copied. */
function compile(chosen: readonly MessagePattern[], off: ReadonlySet<string>): Compiled {
  const rows: MatcherRow[] = [];
  const groups: string[][] = [];
  for (const row of chosen) {
    const becomes = off.has(row.group ?? row.name) ? LEAVE : row.becomes;
    const isCount = row.isCount === true;
    const last = rows.at(-1);
    if (last?.becomes === becomes && last.isCount === isCount) groups.at(-1)?.push(row.pattern.source);
    else {
      rows.push({ becomes, isCount });
      groups.push([row.pattern.source]);
    }
  }
  return { expression: new RegExp(groups.map((sources) => `(?:${sources.join('|')})()`).join('|'), 'y'), rows };
}
