import { openPrompt } from '../overlays/prompt.js';
import type { ExportRequest } from '../state/effect-context.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';

/** Asks for the path of an export; its ending chooses the format. */
export function openExportPrompt(state: TerminalState, request: Omit<ExportRequest, 'path'>): TerminalState {
  const prompt = openPrompt(
    {
      label: `export ${request.what} to: `,
      check: (path) => (path === '' ? { reason: 'Enter a file name.', column: undefined } : undefined),
      hint: () =>
        `NDJSON${request.what === 'rejected' ? '' : ', or CSV if it ends with .csv'}; existing files are kept; ~ is home`,
      accept: (now, path) =>
        withEffect(withNotice(now, `Writing ${path}…`), {
          perform: async ({ exportTo }) => {
            const notice = await exportTo({ ...request, path });
            return (then) => withNotice(then, notice, 'good');
          },
        }),
    },
    `faultline-${request.what}.ndjson`,
  );
  return { ...state, overlay: prompt };
}
