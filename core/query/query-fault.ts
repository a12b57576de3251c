import { Fault } from '../event/fault.js';

/** `QUERY_INVALID`: a syntax error in a query. */
export class QueryFault extends Fault {
  /** 1-based, in UTF-16 units of the query text. */
  readonly column: number;

  constructor(index: number, problem: string) {
    super('QUERY_INVALID', `Query, column ${index + 1}: ${problem}`);
    this.column = index + 1;
  }
}

/** Returns why a query cannot be parsed; undefined if it can. */
export function problemOfQuery(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof QueryFault) return error.message;
    throw error;
  }
}
