import { isFolder } from '../../core/merged/source.js';
import type { TerminalState } from './terminal-state.js';

/** Whether actions are offered; false until the access is known. */
export function mayAct(state: TerminalState): boolean {
  return state.access?.actions === true;
}

/** Why actions are not offered and how to change that, in one sentence of at most 78 cells. */
export function readOnlyReason({ access, sources }: TerminalState): string {
  if (access === undefined) return 'Read-only until connected.';
  const folders = sources.filter(isFolder).length;
  if (folders === 0) return 'Read-only: this token may not change issues. Use one of actions_auth.';
  if (folders < sources.length) return 'Read-only: see Status (S).';
  return folders === 1
    ? 'Read-only: a folder. Start a collector on it to change issues.'
    : 'Read-only: folders. Start collectors on them to change issues.';
}
