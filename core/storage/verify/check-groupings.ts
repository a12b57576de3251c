import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { MAX_GROUPING_BYTES, readGroupingLine } from '../record/grouping-log-line.js';
import { GROUPINGS_FILE } from '../record/grouping-log-read.js';
import { createReadHandles } from '../record/read-handles.js';
import { scanLines } from './scan-lines.js';
import type { VerifyContext } from './verify-context.js';

/** Every line of the log of groupings. */
export async function checkGroupings(context: VerifyContext): Promise<void> {
  const { files, directory, writer, report } = context;
  const handles = createReadHandles(files, 1);
  try {
    for await (const lines of scanLines(handles.file(join(directory, GROUPINGS_FILE)), MAX_GROUPING_BYTES)) {
      for (const { number, start, bytes, isTorn } of lines) {
        const place = { file: GROUPINGS_FILE, line: number, offset: start };
        if (isTorn) {
          const severity = writer === undefined ? 'damage' : 'note';
          report({ code: 'GROUPING_TORN', ...place, what: 'The last line has no end.', severity });
        } else if (bytes === undefined || !isGroupingLine(bytes)) {
          report({ code: 'GROUPING_LINE_INVALID', ...place, what: 'The line says nothing about grouping.' });
        }
      }
      await context.turn('checking groupings', 0, 0);
    }
  } finally {
    await handles.close();
  }
}

function isGroupingLine(bytes: Buffer): boolean {
  try {
    return readGroupingLine(bytes.toString('utf8')) !== undefined;
  } catch (error) {
    // Of a version that this program does not know: said when the log is opened.
    if (error instanceof Fault) return true;
    throw error;
  }
}
