import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { ACTIONS_FILE, type ActionRecord, MAX_ACTION_BYTES, parseActionRecord } from '../actions/action-log.js';
import { GROUPINGS_FILE } from '../groupings/grouping-log.js';
import { MAX_GROUPING_BYTES, parseGroupingLine } from '../groupings/grouping-log-line.js';
import { lackOfActions, readKnownActions } from '../index/checkpoint/manifest.js';
import { createReadHandles } from '../record/io/file-handles.js';
import { MAX_RELEASE_BYTES, parseReleaseLine, RELEASES_FILE } from '../releases/release-line.js';
import type { FindingCode } from './finding.js';
import { scanLines } from './record/scan-lines.js';
import type { VerifyContext } from './verify-context.js';

/** Checks every line of the action log, and that it holds the actions that the index knows. */
export async function checkActions(context: VerifyContext): Promise<void> {
  // Read before the log, because a running collector appends to it.
  const known = await readKnownActions(context.files, context.directory);
  const actions: ActionRecord[] = [];
  const codes = { torn: 'ACTION_TORN', invalid: 'ACTION_INVALID' } as const;
  await checkLines(context, ACTIONS_FILE, MAX_ACTION_BYTES, codes, (text) => {
    const action = parseActionRecord(text);
    if (action !== undefined) actions.push(action);
    return action !== undefined;
  });
  const lack = lackOfActions(known, actions);
  if (lack !== undefined) context.report({ code: 'ACTIONS_MISSING', file: ACTIONS_FILE, what: lack });
}

/** Checks every line of the log of groupings. */
export async function checkGroupings(context: VerifyContext): Promise<void> {
  const codes = { torn: 'GROUPING_TORN', invalid: 'GROUPING_LINE_INVALID' } as const;
  await checkLines(context, GROUPINGS_FILE, MAX_GROUPING_BYTES, codes, (text) => {
    try {
      return parseGroupingLine(text) !== undefined;
    } catch (error) {
      // A later version wrote it; opening the log reports that.
      if (error instanceof Fault) return true;
      throw error;
    }
  });
}

/** Checks every line of the log of releases. */
export async function checkReleases(context: VerifyContext): Promise<void> {
  const codes = { torn: 'RELEASE_TORN', invalid: 'RELEASE_LINE_INVALID' } as const;
  await checkLines(context, RELEASES_FILE, MAX_RELEASE_BYTES, codes, (text) => parseReleaseLine(text) !== undefined);
}

async function checkLines(
  { files, directory, writer, report, nextSlice }: VerifyContext,
  file: string,
  maxLineBytes: number,
  codes: { readonly torn: FindingCode; readonly invalid: FindingCode },
  isValid: (text: string) => boolean,
): Promise<void> {
  const handles = createReadHandles(files, 1);
  try {
    for await (const lines of scanLines(handles.file(join(directory, file)), maxLineBytes)) {
      for (const { number: line, start: offset, bytes, isTorn } of lines) {
        if (isTorn) {
          const severity = writer === undefined ? 'damage' : 'note';
          report({ code: codes.torn, file, line, offset, what: 'The last line has no end.', severity });
        } else if (bytes === undefined || !isValid(bytes.toString('utf8'))) {
          report({ code: codes.invalid, file, line, offset, what: 'The line is not one of this log.' });
        }
      }
      await nextSlice(`checking ${file}`, 0, 0);
    }
  } finally {
    await handles.close();
  }
}
