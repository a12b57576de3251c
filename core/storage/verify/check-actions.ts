import { join } from 'node:path';
import { MAX_ACTION_BYTES, readActionRecord } from '../record/action-record.js';
import { ACTIONS_FILE } from '../record/read-actions.js';
import { createReadHandles } from '../record/read-handles.js';
import { scanLines } from './scan-lines.js';
import type { VerifyContext } from './verify-context.js';

/** Every line of the action log. */
export async function checkActions(context: VerifyContext): Promise<void> {
  const { files, directory, writer, report, turn } = context;
  const handles = createReadHandles(files, 1);
  try {
    for await (const lines of scanLines(handles.file(join(directory, ACTIONS_FILE)), MAX_ACTION_BYTES)) {
      for (const { number, start, bytes, isTorn } of lines) {
        const place = { file: ACTIONS_FILE, line: number, offset: start };
        if (isTorn) {
          const severity = writer === undefined ? 'damage' : 'note';
          report({ code: 'ACTION_TORN', ...place, what: 'The last line has no end.', severity });
        } else if (bytes === undefined || readActionRecord(bytes.toString('utf8')) === undefined) {
          report({ code: 'ACTION_INVALID', ...place, what: 'The line is no action.' });
        }
      }
      await turn('checking actions', 0, 0);
    }
  } finally {
    await handles.close();
  }
}
