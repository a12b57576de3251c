import { Fault } from '../event/fault.js';

/** `ACTION_INVALID`: what somebody wants done to an issue is not written as it must be. */
export class ActionFault extends Fault {
  /** The member that is wrong; null where the request as a whole is. */
  readonly member: string | null;

  constructor(message: string, member: string | null) {
    super('ACTION_INVALID', message);
    this.member = member;
  }
}
