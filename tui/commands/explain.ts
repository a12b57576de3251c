import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import { comparisonLines } from '../../core/explain/comparison-lines.js';
import { explanationLine } from '../format/event/explained.js';
import { outputTheme } from './print-table.js';
import { type PrintingOptions, runPrinting } from './printing-command.js';
import { print, printJson } from './text-output.js';

export interface ExplainOptions extends PrintingOptions {
  reader: FailureReader;
  /** Ids of events or issues. */
  a: string;
  b: string;
}

/** Prints why two events have one issue or two and a rule that changes it, or the JSON of the reading API. Returns the exit code. */
export function runExplain(options: ExplainOptions): Promise<number> {
  const { reader, json, env, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const comparison = await reader.explain(parseId(options.a), parseId(options.b));
    if (json) {
      await printJson(stdout, comparison);
      return;
    }
    const theme = outputTheme(stdout, env);
    const lines = comparisonLines(comparison).map(explanationLine);
    await print(stdout, lines.map((line) => `${theme.paint(line).trimEnd()}\n`).join(''));
  });
}

function parseId(text: string): string {
  const id = toEventId(text);
  if (id !== undefined) return id;
  const hint = '`faultline issues` and `faultline events` list them.';
  throw new Fault('ARGUMENT_INVALID', `"${text}" is not the id of an event or issue; ${hint}`);
}
