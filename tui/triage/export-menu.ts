import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { ExportRequest } from '../state/effect-context.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';

export type ExportSubject = Pick<ExportRequest, 'what' | 'query'>;

const FORMATS = [
  { key: 'n', format: 'ndjson', detail: 'one JSON object per line' },
  { key: 'c', format: 'csv', detail: 'a table for spreadsheets' },
] as const;

/** Asks for the format and the path of an export. */
export function openExportMenu(state: TerminalState, subjects: readonly ExportSubject[]): TerminalState {
  const items = subjects.flatMap((subject) =>
    FORMATS.map(({ key, format, detail }) => ({
      ...(subjects.length === 1 && { key }),
      label: `${subject.what} as ${format === 'csv' ? 'CSV' : 'NDJSON'}`,
      detail: subject.query === '' ? detail : `${detail} · ${subject.query}`,
      run: (now: TerminalState) => openPathPrompt(now, { ...subject, format }),
    })),
  );
  return { ...state, overlay: openMenu('Export', items) };
}

function openPathPrompt(state: TerminalState, request: Omit<ExportRequest, 'path'>): TerminalState {
  const prompt = openPrompt(
    {
      label: 'file: ',
      check: (path) => (path === '' ? { reason: 'Enter a file name.', column: undefined } : undefined),
      hint: () => 'existing files are kept; ~ is your home folder',
      accept: (now, path) =>
        withEffect(withNotice(now, `Writing ${path}…`), {
          perform: async ({ exportTo }) => {
            const notice = await exportTo({ ...request, path });
            return (then) => withNotice(then, notice, 'good');
          },
        }),
    },
    `faultline-${request.what}.${request.format === 'csv' ? 'csv' : 'ndjson'}`,
  );
  return { ...state, overlay: prompt };
}
