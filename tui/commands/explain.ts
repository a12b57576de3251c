import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import { comparisonLines } from '../../core/explain/comparison-lines.js';
import { explained } from '../format/event/explained.js';
import { allowsColour, createTheme, PLAIN_THEME } from '../terminal/theme.js';
import { type PrintingOptions, runPrinting } from './run-printing.js';
import { print, printJson } from './text-output.js';

export interface ExplainOptions extends PrintingOptions {
  reader: FailureReader;
  /** Ids of events or issues, as a person typed them. */
  a: string;
  b: string;
}

/** Prints why two events are one issue or two and a rule that changes it, or with `json` what the reading API answers. Answers the exit code. */
export function runExplain(options: ExplainOptions): Promise<number> {
  const { reader, json, env, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const comparison = await reader.explain(idOf(options.a), idOf(options.b));
    if (json) {
      await printJson(stdout, comparison);
      return;
    }
    const theme = stdout.isTTY === true ? createTheme({ depth: allowsColour(env) ? 16 : 0 }) : PLAIN_THEME;
    const lines = comparisonLines(comparison).map(explained);
    await print(stdout, lines.map((line) => `${theme.paint(line).trimEnd()}\n`).join(''));
  });
}

function idOf(text: string): string {
  const id = toEventId(text);
  if (id !== undefined) return id;
  const hint = '`faultline issues` and `faultline events` list them.';
  throw new Fault('ARGUMENT_INVALID', `"${text}" is no id of an event or an issue; ${hint}`);
}
