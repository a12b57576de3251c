import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Menu, Prompt } from '../state/overlay.js';
import { type TerminalState, topScreen, withNotice } from '../state/terminal-state.js';
import { type Command, TRIAGE_COMMANDS } from '../terminal/keymap.js';
import { applyToEach, describeIssues, menuTitle, undoLatest } from './apply-actions.js';
import { openIgnoreMenu } from './ignore-menu.js';
import { openMergeMenu, openSplitMenu } from './merge.js';

export type TriageCommand = (typeof TRIAGE_COMMANDS)[number];

/** Whether a command changes issues. */
export function isTriage(command: Command): command is TriageCommand {
  return TRIAGE_COMMANDS.some((one) => one === command);
}

/** Opens the menu, prompt or question of a command. */
export function runTriage(
  state: TerminalState,
  targets: readonly IssueSummary[],
  command: TriageCommand,
): TerminalState {
  if (command === 'undo') return undoLatest(state);
  if (targets.length === 0) return withNotice(state, 'The list is empty.');
  switch (command) {
    case 'resolve':
      return { ...state, overlay: openResolveMenu(state, targets) };
    case 'ignore':
      return { ...state, overlay: openIgnoreMenu(state, targets) };
    case 'reopen':
      return openReopenQuestion(state, targets);
    case 'assign':
      return { ...state, overlay: openAssigneePrompt(state, targets) };
    case 'comment':
      return { ...state, overlay: openCommentPrompt(targets) };
    case 'merge':
      return openMergeMenu(state, targets);
    case 'split':
      return openSplitMenu(state, targets);
  }
}

function openReopenQuestion(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const closed = targets.filter(({ status }) => status !== 'open');
  if (closed.length === 0) return withNotice(state, 'Already open.');
  const yes = (now: TerminalState): TerminalState => applyToEach(now, closed, { action: 'reopen' }, 'Reopened');
  return { ...state, overlay: { kind: 'question', text: [`Reopen ${describeIssues(closed)}?`], yes } };
}

/** Whether to offer a command: none without an issue, and `reopen` instead of `resolve` for closed issues. */
export function offersTriage(targets: readonly IssueSummary[], command: TriageCommand): boolean {
  if (targets.length === 0 || command === 'undo') return false;
  const isClosed = targets.every(({ status }) => status !== 'open');
  if (command === 'resolve') return !isClosed;
  return command === 'reopen' ? isClosed : true;
}

function openResolveMenu(state: TerminalState, targets: readonly IssueSummary[]): Menu<TerminalState> {
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
  return openMenu(menuTitle('Resolve', targets, state), items);
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

const MAX_NAME_LENGTH = 200;

function openAssigneePrompt(state: TerminalState, targets: readonly IssueSummary[]): Prompt<TerminalState> {
  const [first] = targets;
  const draft = targets.length === 1 ? (first?.assignee ?? '') : '';
  return openPrompt(
    {
      title: menuTitle('Assign', targets, state),
      label: 'assignee: ',
      // The assignee of now is not a beginning that was typed.
      complete: (now, text) => ({
        from: 0,
        to: text.length,
        candidates: knownNames(now)
          .filter((name) => text === draft || name.startsWith(text))
          .map((name) => ({ text: name, kind: 'value' })),
      }),
      check: (text) =>
        text.length <= MAX_NAME_LENGTH
          ? undefined
          : { reason: `A name has at most ${MAX_NAME_LENGTH} characters.`, column: MAX_NAME_LENGTH + 1 },
      hint: () => 'leave empty to unassign',
      accept: (state, name) => {
        const verb = name === '' ? 'Unassigned' : `Assigned to ${name}:`;
        return applyToEach(state, targets, { action: 'assign', assignee: name === '' ? null : name }, verb);
      },
    },
    draft,
  );
}

function openCommentPrompt(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  return openPrompt({
    label: 'comment: ',
    check: (text) => (text === '' ? { reason: 'Enter a comment. Esc cancels.', column: undefined } : undefined),
    hint: () => `Shown in the history of ${describeIssues(targets)}.`,
    accept: (state, text) => applyToEach(state, targets, { action: 'comment', text }, 'Comment added to'),
  });
}

function knownNames(state: TerminalState): readonly string[] {
  const screen = topScreen(state);
  const [issues] = state.stack;
  const rows = screen.kind === 'issues' ? screen.list.rows : issues.list.rows;
  const assignees = rows.flatMap(({ assignee }) => assignee ?? []).sort();
  return [...new Set(issues.me === undefined ? assignees : [issues.me, ...assignees])];
}
