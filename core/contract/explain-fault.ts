import { Fault } from '../event/fault.js';

/** Which of the two things that are compared. */
export type ExplainSide = 'a' | 'b';

const MAX_SHOWN = 80;

/** An id of a comparison that cannot be used, and which of the two it is. */
export class ExplainFault extends Fault {
  readonly side: ExplainSide;

  constructor(code: 'PARAMETER_INVALID' | 'EXPLAIN_NOT_FOUND', side: ExplainSide, message: string) {
    super(code, message);
    this.side = side;
  }
}

/** `PARAMETER_INVALID`: not in the form of an id. */
export function notAnId(side: ExplainSide, text: string): ExplainFault {
  const shown = JSON.stringify(text.slice(0, MAX_SHOWN));
  return new ExplainFault('PARAMETER_INVALID', side, `${side} must be the id of an event or of an issue, not ${shown}`);
}

/** `EXPLAIN_NOT_FOUND`: neither an event nor an issue has that id, or its events are gone. */
export function explainNotFound(side: ExplainSide, id: string): ExplainFault {
  return new ExplainFault('EXPLAIN_NOT_FOUND', side, `${side}: there is no event and no issue ${id} with an event`);
}
