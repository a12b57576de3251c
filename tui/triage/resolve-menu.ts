import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Menu, Prompt } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { applyToEach } from './apply-actions.js';
import { describeIssues } from './describe-issues.js';

/** How issues are resolved, and what brings each back. */
export function openResolveMenu(targets: readonly IssueSummary[], isNextFirst: boolean): Menu<TerminalState> {
  const items = [
    {
      key: 'r',
      label: 'now',
      detail: 'the next event brings it back as regressed',
      run: (state: TerminalState) => applyToEach(state, targets, { action: 'resolve' }, 'Resolved'),
    },
    {
      key: 'R',
      label: 'in the next release',
      detail: 'a release not seen yet brings it back',
      run: (state: TerminalState) =>
        applyToEach(state, targets, { action: 'resolve', in_next_release: true }, 'Resolved in the next release:'),
    },
    {
      key: 'v',
      label: 'in a release you name',
      detail: 'that release or a later one brings it back',
      run: (state: TerminalState) => ({ ...state, overlay: openReleasePrompt(targets) }),
    },
  ];
  return { ...openMenu(`Resolve ${describeIssues(targets)}`, items), selected: isNextFirst ? 1 : 0 };
}

function openReleasePrompt(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  const known = [...new Set(targets.flatMap(({ releases }) => releases))].reverse();
  return openPrompt({
    label: 'resolved in release: ',
    complete: (_state, text) => ({
      from: 0,
      to: text.length,
      candidates: known.filter((release) => release.includes(text)).map((text) => ({ text, kind: 'value' as const })),
    }),
    check: (text) => (text === '' ? { reason: 'Name a release, for example v1.4.3.', column: undefined } : undefined),
    hint: (_state, text) =>
      text === '' ? 'Tab offers the releases that were seen' : `an event of ${text} or a later release brings it back`,
    accept: (state, release) =>
      applyToEach(state, targets, { action: 'resolve', in_release: release }, `Resolved in ${release}:`),
  });
}
