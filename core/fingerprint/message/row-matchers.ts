import { MESSAGE_PATTERNS } from './message-patterns.js';
import { INSIDE, KEEP, type MessagePattern, type TokenStart } from './patterns/message-pattern.js';

/** The text stays because its row is switched off: no later row may match in it. */
export const LEAVE = Symbol('leave');

/** What the first matching row makes of the text up to `end`. */
export interface Match {
  readonly becomes: MessagePattern['becomes'] | typeof LEAVE;
  readonly end: number;
}

/** Several rows as one expression, compiled on first use. */
export class RowMatcher {
  readonly #groups: readonly RowGroup[];
  #expression: RegExp | undefined;

  constructor(rows: readonly MessagePattern[], off: ReadonlySet<string>) {
    this.#groups = groupsOf(rows, off);
  }

  /** The first row that matches at least one character at `start`. */
  matchAt(text: string, start: number): Match | undefined {
    this.#expression ??= new RegExp(this.#groups.map(({ sources }) => `(${sources.join('|')})`).join('|'), 'y');
    this.#expression.lastIndex = start;
    const match = this.#expression.exec(text);
    if (match === null || match[0] === '') return undefined;
    let group = 1;
    while (match[group] === undefined) group++;
    const becomes = this.#groups[group - 1]?.becomes;
    return becomes === undefined ? undefined : { becomes, end: start + match[0].length };
  }
}

/** Neighbouring rows that make the same of their text. They share a group of the expression, because every group costs time at every token. */
interface RowGroup {
  readonly becomes: Match['becomes'];
  readonly sources: string[];
}

function groupsOf(rows: readonly MessagePattern[], off: ReadonlySet<string>): RowGroup[] {
  const groups: RowGroup[] = [];
  for (const { name, pattern, becomes: usual } of rows) {
    const becomes = off.has(name) ? LEAVE : usual;
    const last = groups.at(-1);
    if (last?.becomes === becomes) last.sources.push(pattern.source);
    else groups.push({ becomes, sources: [pattern.source] });
  }
  return groups;
}

/** Matchers by the kind of the token at which their rows can begin. */
export type RowMatchers = Readonly<Record<TokenStart, RowMatcher>>;

/** Creates the matchers of all rows; those that `off` names leave their text. Rows with `isAnnounced` are included if `isAnnounced`. */
export function createRowMatchers(off: ReadonlySet<string>, isAnnounced: boolean): RowMatchers {
  const rows = MESSAGE_PATTERNS.filter(
    (row) => (isAnnounced || row.isAnnounced !== true) && !(isStructure(row) && off.has(row.name)),
  );
  const matcherOf = (kind: TokenStart): RowMatcher =>
    new RowMatcher(
      rows.filter(({ starts }) => starts.includes(kind)),
      off,
    );
  return {
    word: matcherOf('word'),
    number: matcherOf('number'),
    quote: matcherOf('quote'),
    mark: matcherOf('mark'),
    bracket: matcherOf('bracket'),
  };
}

/** Whether a row describes the text around values, which is free for other rows if it is off. */
function isStructure({ becomes }: MessagePattern): boolean {
  return becomes === KEEP || becomes === INSIDE;
}
