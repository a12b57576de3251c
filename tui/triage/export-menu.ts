import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { ExportRequest } from '../state/effect-context.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';

/** What is listed, and can be written to a file. */
export type ExportSubject = Pick<ExportRequest, 'what' | 'query'>;

const FORMATS = [
  { key: 'n', format: 'ndjson', detail: 'one JSON object per line' },
  { key: 'c', format: 'csv', detail: 'a table for spreadsheets' },
] as const;

/** Asks in which form and where what is listed is written. */
export function openExportMenu(state: TerminalState, subjects: readonly ExportSubject[]): TerminalState {
  const items = subjects.flatMap((subject) =>
    FORMATS.map(({ key, format, detail }) => ({
      ...(subjects.length === 1 && { key }),
      label: `${subject.what} as ${format === 'csv' ? 'CSV' : 'NDJSON'}`,
      detail: subject.query === '' ? detail : `${detail} · ${subject.query}`,
      run: (now: TerminalState) => openPathPrompt(now, { ...subject, format }),
    })),
  );
  return { ...state, overlay: openMenu('Write to a file', items) };
}

function openPathPrompt(state: TerminalState, request: Omit<ExportRequest, 'path'>): TerminalState {
  const prompt = openPrompt(
    {
      label: 'write to: ',
      check: (path) => (path === '' ? { reason: 'Name a file.', column: undefined } : undefined),
      hint: () => 'an existing file is never overwritten; ~ is your home',
      accept: (now, path) =>
        withEffect(withNotice(now, `Writing ${path} …`), {
          perform: async ({ exportTo }) => {
            const said = await exportTo({ ...request, path });
            return (then) => withNotice(then, said, 'good');
          },
        }),
    },
    `faultline-${request.what}.${request.format === 'csv' ? 'csv' : 'ndjson'}`,
  );
  return { ...state, overlay: prompt };
}
