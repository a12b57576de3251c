import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Menu, Prompt } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { applyToEach, describeIssues } from './apply-actions.js';

/** Opens the menu of when a resolved issue comes back. */
export function openResolveMenu(targets: readonly IssueSummary[], isNextFirst: boolean): Menu<TerminalState> {
  const items = [
    {
      key: 'r',
      label: 'now',
      detail: 'comes back with the next event',
      run: (state: TerminalState) => applyToEach(state, targets, { action: 'resolve' }, 'Resolved'),
    },
    {
      key: 'R',
      label: 'in the next release',
      detail: 'comes back in a release that has not been seen yet',
      run: (state: TerminalState) =>
        applyToEach(state, targets, { action: 'resolve', in_next_release: true }, 'Resolved in the next release:'),
    },
    {
      key: 'v',
      label: 'in a release…',
      detail: 'comes back in that release or a later one',
      run: (state: TerminalState) => ({ ...state, overlay: openReleasePrompt(targets) }),
    },
  ];
  return { ...openMenu(`Resolve ${describeIssues(targets)}`, items), selected: isNextFirst ? 1 : 0 };
}

function openReleasePrompt(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  const known = [...new Set(targets.flatMap(({ releases }) => releases))].reverse();
  return openPrompt({
    label: 'release: ',
    complete: (_state, text) => ({
      from: 0,
      to: text.length,
      candidates: known.filter((release) => release.includes(text)).map((text) => ({ text, kind: 'value' as const })),
    }),
    check: (text) => (text === '' ? { reason: 'Enter a release, for example v2.5.0.', column: undefined } : undefined),
    hint: (_state, text) => (text === '' ? 'Tab completes known releases' : `comes back in ${text} or a later release`),
    accept: (state, release) =>
      applyToEach(state, targets, { action: 'resolve', in_release: release }, `Resolved in ${release}:`),
  });
}
