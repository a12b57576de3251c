import type { IssueSummary } from '../../../generated/reader-answers.js';

type State = Pick<IssueSummary, 'status' | 'regressed' | 'is_new' | 'spiking' | 'snooze' | 'resolved_in'>;

/** The state in words: `open`, `regressed, spiking`, `resolved in v1.5.0`, `ignored until 2026-12-24 10:00`, `ignored 100x/1h`. */
export function stateWords(issue: State): string {
  if (issue.status === 'resolved') return issue.resolved_in === null ? 'resolved' : `resolved in ${issue.resolved_in}`;
  if (issue.status === 'ignored') return issue.snooze === null ? 'ignored' : `ignored ${snoozeWords(issue.snooze)}`;
  const states = [issue.regressed && 'regressed', issue.is_new && 'new', issue.spiking && 'spiking'];
  return states.filter((state) => state !== false).join(', ') || 'open';
}

function snoozeWords(snooze: string): string {
  const until = /^until:(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(snooze);
  return until === null ? snooze : `until ${until[1]} ${until[2]}`;
}
