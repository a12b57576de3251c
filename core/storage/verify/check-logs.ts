import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { ACTION_LOG } from '../actions/action-log.js';
import { missingActions, readKnownActions } from '../index/checkpoint/manifest.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { scanLines } from '../record/io/read-lines.js';
import type { LogFile } from '../record/io/read-log.js';
import type { FindingCode } from './finding.js';
import type { VerifyContext } from './verify-context.js';

/** Checks every line of the action log, and that it holds the actions that the index knows. */
export async function checkActions(context: VerifyContext): Promise<void> {
  // Read before the log, because a running collector appends to it.
  const known = await readKnownActions(context.files, context.directory);
  const actions = await checkLog(context, ACTION_LOG, 'ACTION_TORN', 'ACTION_INVALID');
  const missing = missingActions(known, actions);
  if (missing !== undefined) context.report({ code: 'ACTIONS_MISSING', file: ACTION_LOG.name, what: missing });
}

/** Checks every line of a log, and returns the valid ones. */
export async function checkLog<Line>(
  { files, directory, writer, report, nextSlice }: VerifyContext,
  { name: file, maxLineBytes, parseLine }: Pick<LogFile<Line>, 'name' | 'maxLineBytes' | 'parseLine'>,
  torn: FindingCode,
  invalid: FindingCode,
): Promise<Line[]> {
  const valid: Line[] = [];
  const accepts = (text: string): boolean => {
    try {
      const line = parseLine(text);
      if (line !== undefined) valid.push(line);
      return line !== undefined;
    } catch (error) {
      // A later version wrote it; opening the log reports that.
      if (error instanceof Fault) return true;
      throw error;
    }
  };
  await using handles = new ReadHandles(files, 1);
  for await (const lines of scanLines(handles.file(join(directory, file)), { maxLineBytes })) {
    for (const { number: line, start: offset, bytes, isTorn } of lines) {
      if (isTorn) {
        const severity = writer === undefined ? 'damage' : 'note';
        report({ code: torn, file, line, offset, what: 'The last line has no end.', severity });
      } else if (bytes === undefined || !accepts(bytes.toString('utf8'))) {
        report({ code: invalid, file, line, offset, what: 'The line is not one of this log.' });
      }
    }
    await nextSlice(`checking ${file}`, 0, 0);
  }
  return valid;
}
