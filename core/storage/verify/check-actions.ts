import { join } from 'node:path';
import { lackOfActions, readKnownActions } from '../index/known-actions.js';
import { type ActionRecord, MAX_ACTION_BYTES, readActionRecord } from '../record/action-record.js';
import { ACTIONS_FILE } from '../record/read-actions.js';
import { createReadHandles } from '../record/read-handles.js';
import { scanLines } from './scan-lines.js';
import type { VerifyContext } from './verify-context.js';

/** Every line of the action log, and whether it holds those that the index knows of. */
export async function checkActions(context: VerifyContext): Promise<void> {
  const { files, directory, writer, report, turn } = context;
  // Before the log, which a running collector appends to.
  const known = await readKnownActions(files, directory);
  const actions: ActionRecord[] = [];
  const handles = createReadHandles(files, 1);
  try {
    for await (const lines of scanLines(handles.file(join(directory, ACTIONS_FILE)), MAX_ACTION_BYTES)) {
      for (const { number, start, bytes, isTorn } of lines) {
        const action = bytes && readActionRecord(bytes.toString('utf8'));
        const place = { file: ACTIONS_FILE, line: number, offset: start };
        if (isTorn) {
          const severity = writer === undefined ? 'damage' : 'note';
          report({ code: 'ACTION_TORN', ...place, what: 'The last line has no end.', severity });
        } else if (action === undefined) {
          report({ code: 'ACTION_INVALID', ...place, what: 'The line is no action.' });
        } else {
          actions.push(action);
        }
      }
      await turn('checking actions', 0, 0);
    }
  } finally {
    await handles.close();
  }
  const lack = lackOfActions(known, actions);
  if (lack !== undefined) report({ code: 'ACTIONS_MISSING', file: ACTIONS_FILE, what: lack });
}
