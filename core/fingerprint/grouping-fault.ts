import { Fault } from '../event/fault.js';

/** `GROUPING_INVALID`: the problem of a rule, or of the settings if `rule` is null. */
export class GroupingFault extends Fault {
  /** The message without the name of the rule. */
  readonly problem: string;

  constructor(rule: string | null, problem: string, cause?: unknown) {
    const where = rule === null ? 'Grouping' : `Grouping, rule "${rule}"`;
    super('GROUPING_INVALID', `${where}: ${problem}`, cause === undefined ? {} : { cause });
    this.problem = problem;
  }
}
