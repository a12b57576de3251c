import { Fault } from '../event/fault.js';

/** `GROUPING_INVALID`: what is wrong with a rule, or with the settings where `rule` is null. */
export class GroupingFault extends Fault {
  /** What is wrong, without the rule. */
  readonly problem: string;

  constructor(rule: string | null, problem: string, cause?: unknown) {
    const where = rule === null ? 'Grouping' : `Grouping, rule "${rule}"`;
    super('GROUPING_INVALID', `${where}: ${problem}`, cause === undefined ? {} : { cause });
    this.problem = problem;
  }
}
