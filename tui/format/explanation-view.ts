import { explanationLines } from '../../core/explain/explanation-lines.js';
import type { IssueDetail } from '../../generated/reader-answers.js';
import { explained } from './explained.js';
import { type Line, span, words } from './line.js';
import { cellsOf, neutralise, ownWords } from './visible.js';
import { wrapLine } from './wrapped-line.js';

/** The lines about rules of the user's: a reader does not know them, so nothing is said of them. */
const RULES_LABEL = 'your rules';
const MAX_FINGERPRINTS = 32;

/** Why the events of an issue are one, in words, wrapped to a width. */
export function explanationView(issue: IssueDetail, cells: number): Line[] {
  const { fingerprint, fingerprint_version, title, culprit, basis, fingerprints } = issue;
  const reasons = explanationLines({ value: fingerprint, version: fingerprint_version, title, culprit, basis }, [])
    .filter(([label]) => label?.text.trimEnd() !== RULES_LABEL)
    .map(explained);
  const others = fingerprints.filter((one) => one !== fingerprint);
  const merged: Line[] =
    others.length === 0
      ? []
      : [
          [],
          [words('Merged into it were events of other fingerprints:', 'muted')],
          ...others.slice(0, MAX_FINGERPRINTS).map((one): Line => [words('  '), span(neutralise(one))]),
          ...(others.length > MAX_FINGERPRINTS
            ? [[words(`  and ${others.length - MAX_FINGERPRINTS} more`, 'muted')]]
            : []),
        ];
  return [...reasons, ...merged].flatMap((line) => wrapLine(line, cells, labelCells(line)));
}

/** Where the text of a line begins: rows that it needs more begin there too. */
function labelCells(line: Line): number {
  const [label] = line;
  return line.length < 2 || label === undefined ? 0 : cellsOf(ownWords(label.text));
}
