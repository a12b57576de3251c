import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { IssueActions } from '../actions/action-history.js';
import { ACTION_LOG } from '../actions/action-log.js';
import { type KnownActions, knownActionsOf, missingActions } from '../index/checkpoint/manifest.js';

/**
 * What the manifest of the index says of the action log, so that a removed, cut or replaced log is noticed. Missing actions are reported at every
 * start until the next action; up to then each manifest says what the one before said.
 */
export class ActionLogCheck {
  readonly #atCheckpoint: KnownActions | undefined;
  /** Undefined until the log is open. */
  #actions: IssueActions | undefined;
  /** Actions in the log when it was found to be incomplete. */
  #incompleteLength: number | undefined;

  /** `atCheckpoint`: of the last manifest. */
  constructor(atCheckpoint: KnownActions | undefined) {
    this.#atCheckpoint = atCheckpoint;
  }

  /** For the next manifest. */
  get current(): KnownActions | undefined {
    const isUnchanged = this.#actions?.log.length === this.#incompleteLength;
    return this.#actions === undefined || isUnchanged ? this.#atCheckpoint : knownActionsOf(this.#actions.log);
  }

  /** Call it once the log is open; returns `ACTIONS_MISSING` if it lacks actions. */
  compare(actions: IssueActions, directory: string): Fault | undefined {
    this.#actions = actions;
    const missing = missingActions(this.#atCheckpoint, actions.log);
    if (missing === undefined) return undefined;
    this.#incompleteLength = actions.log.length;
    return new Fault(
      'ACTIONS_MISSING',
      `${join(directory, ACTION_LOG.name)}: ${missing} Stop the collector and restore the file from a backup. The next action, or \`faultline rebuild\`, accepts the log as it is and ends this message.`,
    );
  }
}
