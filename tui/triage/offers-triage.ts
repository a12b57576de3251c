import type { IssueSummary } from '../../generated/reader-answers.js';
import type { TriageCommand } from './run-triage.js';

/** Whether a command is worth offering for some issues: none is without an issue, and what is closed is opened again rather than resolved. */
export function offersTriage(targets: readonly IssueSummary[], command: TriageCommand): boolean {
  if (targets.length === 0) return false;
  const isClosed = targets.every(({ status }) => status !== 'open');
  if (command === 'resolve') return !isClosed;
  return command === 'reopen' ? isClosed : true;
}
