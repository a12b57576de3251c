import { Fault } from '../event/fault.js';
import { cutText } from '../event/text.js';

/** One of the two sides of a comparison. */
export type ExplainSide = 'a' | 'b';

const MAX_SHOWN = 80;

/** An invalid id of a comparison. */
export class ExplainFault extends Fault {
  readonly side: ExplainSide;

  constructor(code: 'PARAMETER_INVALID' | 'EXPLAIN_NOT_FOUND', side: ExplainSide, message: string) {
    super(code, message);
    this.side = side;
  }
}

/** `PARAMETER_INVALID`: the text is not an id. */
export function notAnId(side: ExplainSide, text: string): ExplainFault {
  const shown = JSON.stringify(cutText(text, MAX_SHOWN));
  return new ExplainFault('PARAMETER_INVALID', side, `${side} must be the id of an event or of an issue, not ${shown}`);
}

/** `EXPLAIN_NOT_FOUND`: no event or issue has this id, or the events of the issue were removed. */
export function explainNotFound(side: ExplainSide, id: string): ExplainFault {
  return new ExplainFault(
    'EXPLAIN_NOT_FOUND',
    side,
    `${side}: no event or issue ${id}, or the issue has no events left`,
  );
}
