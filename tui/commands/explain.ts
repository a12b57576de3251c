import type { FailureReader } from '../../core/contract/reader.js';
import { toEventId } from '../../core/event/ids.js';
import { toShortEventId } from '../../core/event/short-event-id.js';
import { comparisonLines } from '../../core/explain/comparison-lines.js';
import { neutralisedLine } from '../text/line.js';
import { findEventId, findIssueId } from './find-ids.js';
import { outputTheme } from './print-table.js';
import { type PrintingOptions, runPrinting } from './printing-command.js';
import { print, printJson } from './text-output.js';

export interface ExplainOptions extends PrintingOptions {
  /** As typed: ids of events or issues, also short ones. */
  a: string;
  b: string;
}

/** Prints why two events have one issue or two and a rule that changes it, or the JSON of the reading API. Returns the exit code. */
export function runExplain(options: ExplainOptions): Promise<number> {
  const { reader, json, env, stdout } = options;
  return runPrinting(options, async () => {
    const comparison = await reader.explain(await findId(reader, options.a), await findId(reader, options.b));
    if (json) {
      await printJson(stdout, comparison);
      return;
    }
    const theme = outputTheme(stdout, env);
    const lines = comparisonLines(comparison).map(neutralisedLine);
    await print(stdout, lines.map((line) => `${theme.paint(line).trimEnd()}\n`).join(''));
  });
}

async function findId(reader: FailureReader, typed: string): Promise<string> {
  const isEvent = (toEventId(typed) ?? toShortEventId(typed)) !== undefined;
  return isEvent ? await findEventId(reader, typed) : await findIssueId(reader, typed);
}
