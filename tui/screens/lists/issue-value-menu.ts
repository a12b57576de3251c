import type { IssueSummary } from '../../../generated/reader-answers.js';
import { openMenu } from '../../overlays/menu.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import { selectedRow } from '../../state/list-selection.js';
import type { MenuItem } from '../../state/overlay.js';
import { valueTerm, withTerm } from '../../state/query-terms.js';
import { ISSUE_ROWS } from '../../state/row-kinds.js';
import { type TerminalState, withNotice } from '../../state/terminal-state.js';
import { withSource } from './list-changes.js';

/** Fields to filter by; an empty key has to be selected with the cursor. */
const VALUES: readonly {
  readonly key: string;
  readonly field: string;
  readonly of: (issue: IssueSummary) => readonly (string | null)[];
}[] = [
  { key: 's', field: 'service', of: ({ service }) => [service] },
  { key: 'l', field: 'level', of: ({ level }) => [level] },
  { key: 'n', field: 'error_name', of: ({ error_name }) => [error_name] },
  { key: 'a', field: 'app', of: ({ app }) => [app] },
  { key: 'g', field: 'assignee', of: ({ assignee }) => [assignee] },
  { key: 't', field: 'type', of: ({ type }) => [type] },
  { key: 'c', field: 'culprit', of: ({ culprit }) => [culprit] },
  { key: '', field: 'env', of: ({ environments }) => environments },
  { key: '', field: 'release', of: ({ releases }) => releases.toReversed() },
];
const MAX_VALUE = 200;
const MAX_ITEMS = 24;

/** Opens the menu of the selected issue's values, to filter by one or to exclude it. */
export function openIssueValues(state: TerminalState, screen: IssuesScreen, isExcluded: boolean): TerminalState {
  const issue = selectedRow(screen.list, ISSUE_ROWS);
  if (issue === undefined) return withNotice(state, 'The list is empty.');
  const items = VALUES.flatMap(({ key, field, of }): MenuItem<TerminalState>[] =>
    of(issue).flatMap((value): MenuItem<TerminalState>[] => {
      if (value === null || value === '' || value.length > MAX_VALUE) return [];
      const query = withTerm(screen.wanted.query, valueTerm(field, value, isExcluded));
      const run = (now: TerminalState): TerminalState => withSource(now, { query });
      return [{ ...(key !== '' && { key }), label: field, detail: value, run }];
    }),
  );
  const title = isExcluded ? 'Hide' : 'Show only';
  return { ...state, overlay: openMenu(title, items.slice(0, MAX_ITEMS)) };
}
