import { printableJson } from '../../config/values/printable.js';
import { briefMarkdown, DEFAULT_BRIEF_TOKENS } from '../../core/brief/brief.js';
import { issueBrief } from '../../core/brief/issue-brief.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { EventId, IssueId } from '../../core/event/ids.js';
import type { EventDetail, IssueDetail } from '../../generated/reader-answers.js';
import { issueMarkdown } from '../format/export/markdown-issue.js';
import { openMenu } from '../overlays/menu.js';
import type { Menu } from '../state/overlay.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { sortedJson } from '../text/json-text.js';
import { words, wrapLine } from '../text/line.js';
import { neutralise } from '../text/visible.js';

/** What is copied: an issue, or one of its events. */
export interface CopySubject {
  readonly issueId: IssueId;
  /** Default: the issue's latest event. */
  readonly eventId?: EventId;
}

/** UTF-16 units. */
const MAX_SHEET_LENGTH = 256 * 1024;

type TextOf = (reader: FailureReader, subject: CopySubject) => Promise<string>;

const CHOICES: readonly { key: string; label: string; detail: string; textOf: TextOf }[] = [
  { key: 'm', label: 'Markdown', detail: 'for an issue tracker', textOf: markdown },
  { key: 'b', label: 'brief', detail: 'for a language model', textOf: brief },
  { key: 'i', label: 'issue id', detail: '', textOf: async (_reader, { issueId }) => issueId },
  { key: 't', label: 'title', detail: '', textOf: async (...from) => titleText(await issueOf(...from)) },
  { key: 'e', label: 'event id', detail: '', textOf: ofEvent(({ event_id }) => event_id) },
  { key: 'l', label: 'location', detail: 'file and line of the raw payload', textOf: ofEvent(locationText) },
  { key: 'r', label: 'raw payload', detail: 'JSON on one line', textOf: ofEvent(rawText) },
  { key: 'n', label: 'normalized event', detail: 'JSON, indented', textOf: ofEvent(normalizedText) },
];

/** Opens the menu of what to copy. */
export function openCopyMenu(subject: CopySubject): Menu<TerminalState> {
  const title = subject.eventId === undefined ? 'Copy, from the latest event' : 'Copy';
  const items = CHOICES.map(({ textOf, ...item }) => ({
    ...item,
    run: (state: TerminalState) => copyText(state, (reader) => textOf(reader, subject)),
  }));
  return openMenu(title, items);
}

/** Copies a text and reports how. */
export function copyText(state: TerminalState, textOf: (reader: FailureReader) => Promise<string>): TerminalState {
  return withEffect(state, {
    perform: async ({ reader, copy }) => {
      const text = await textOf(reader);
      const { kind, message } = await copy(text);
      return (now) => (kind === 'none' ? withTextSheet(now, text, message) : withNotice(now, message));
    },
  });
}

function withTextSheet(state: TerminalState, text: string, reason: string): TerminalState {
  const rows = text
    .slice(0, MAX_SHEET_LENGTH)
    .split('\n')
    .map((row) => [words(row)]);
  const lines = [[words(reason, 'warning')], [], ...rows].flatMap((line) => wrapLine(line, state.size.columns));
  return { ...state, overlay: { kind: 'sheet', title: 'Copy', lines, top: 0 } };
}

async function markdown(reader: FailureReader, subject: CopySubject): Promise<string> {
  const [issue, event] = await Promise.all([issueOf(reader, subject), latestOf(reader, subject)]);
  return issueMarkdown(issue, event);
}

async function brief(reader: FailureReader, subject: CopySubject): Promise<string> {
  const [issue, event] = await Promise.all([issueOf(reader, subject), latestOf(reader, subject)]);
  return briefMarkdown(issueBrief(issue, event, { maxTokens: DEFAULT_BRIEF_TOKENS, nowMs: Date.now() }));
}

async function issueOf(reader: FailureReader, { issueId }: CopySubject): Promise<IssueDetail> {
  const issue = await reader.getIssue(issueId);
  if (issue === undefined) throw new Fault('ISSUE_NOT_FOUND', 'This issue is gone.');
  return issue;
}

function ofEvent(text: (event: EventDetail) => string): TextOf {
  return async (reader, subject) => {
    const event = await latestOf(reader, subject);
    if (event === undefined) throw new Fault('EVENT_NOT_FOUND', 'This event is gone.');
    return text(event);
  };
}

/** The chosen event, or the latest one of the issue; undefined if retention removed it. */
async function latestOf(reader: FailureReader, { issueId, eventId }: CopySubject): Promise<EventDetail | undefined> {
  const id = eventId ?? (await reader.listEvents(issueId, { limit: 1 }))?.events[0]?.event_id;
  return id === undefined ? undefined : await reader.getEvent(id);
}

/** The title of an issue, safe to paste into a terminal. */
export function titleText({ title }: { readonly title: string }): string {
  return neutralise(title);
}

/** The position of the raw line: `path:line`, with the line zero-based. */
export function locationText({ raw }: Pick<EventDetail, 'raw'>): string {
  return `${neutralise(raw.path)}:${raw.line} (line counted from zero)`;
}

/** The stored raw payload as JSON on one line, with hidden characters escaped. */
export function rawText({ raw }: Pick<EventDetail, 'raw'>): string {
  return printableJson(JSON.stringify(raw.payload));
}

/** The whole event as indented JSON with sorted keys. */
export function eventText({ event_id, issue_id, raw, normalized, notes }: EventDetail): string {
  const payload = { ...raw.payload };
  return `${sortedJson({
    event_id,
    issue_id,
    raw: { ...raw, payload },
    normalized: { ...normalized },
    notes: notes.map((note) => ({ ...note })),
  })}\n`;
}

/** The normalized event as indented JSON with sorted keys. */
export function normalizedText({ normalized }: Pick<EventDetail, 'normalized'>): string {
  return sortedJson({ ...normalized });
}
