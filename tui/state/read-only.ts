import { isFolder } from '../readers/source.js';
import type { TerminalState } from './terminal-state.js';

/** Why actions are not offered, and how to get them, in one sentence that fits into 78 cells; for states in which they are not. */
export function readOnlyReason({ access, sources }: TerminalState): string {
  if (access === undefined) return 'Reading only: whether actions are taken here is not known yet.';
  const folders = sources.filter(isFolder).length;
  if (folders === 0) return 'Reading only: give a token of actions_auth by --token-file or FAULTLINE_TOKEN.';
  if (folders < sources.length) return 'Reading only: folders want a collector to act, collectors another token: S.';
  return folders === 1
    ? 'This folder is only read: start a collector on it to act.'
    : 'These folders are only read: start collectors on them to act.';
}
