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
