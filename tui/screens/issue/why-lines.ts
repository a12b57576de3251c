import { shownValue } from '../../../core/explain/explained-line.js';
import type { IssueDetail } from '../../../generated/reader-answers.js';
import { mergedNames } from '../../format/issue/state-phrases.js';
import { countWithNoun } from '../../text/counts.js';
import { type Line, span, words, wrapLine } from '../../text/line.js';
import { fitToCells, neutralise } from '../../text/visible.js';

type BasisPart = IssueDetail['basis']['parts'][number];

/** Parts of a basis in the order of the table: their names, and what events of one issue share. */
export const GROUPING_PARTS: readonly { readonly part: string; readonly name: string; readonly shared: string }[] = [
  { part: 'error_name', name: 'error type', shared: 'the same error type' },
  { part: 'code', name: 'error no.', shared: 'the same error number' },
  { part: 'frames', name: 'frame', shared: 'the same innermost application frame' },
  { part: 'message', name: 'message', shared: 'the same message' },
  { part: 'client_fingerprint', name: 'client', shared: 'the same fingerprint of their sender' },
];
const MARGIN = 2;
/** Running text is at most this wide. */
const TEXT_CELLS = 100;
const NAME_AT = 10;
const VALUE_AT = 23;

/** Explains why the events of an issue are one issue. */
export function whyLines(issue: IssueDetail, columns: number): Line[] {
  const { fingerprint, fingerprint_version: version, basis, issue_id: issueId } = issue;
  const textCells = Math.min(columns, MARGIN + TEXT_CELLS);
  const text = (line: Line): Line[] => wrapLine([words(' '.repeat(MARGIN)), ...line], textCells, MARGIN);
  const known = GROUPING_PARTS.flatMap(({ part }) => basis.parts.filter((one) => one.part === part));
  const others = basis.parts.filter((one) => !known.includes(one));
  const id = neutralise(issueId.slice(0, 8));
  return [
    [],
    ...text([words(whySentence(issue))]),
    [],
    [words(`  ${'COUNTS'.padEnd(NAME_AT - MARGIN)}${'PART'.padEnd(VALUE_AT - NAME_AT)}VALUE`, 'muted')],
    ...[...known, ...others].flatMap((part) => partLines(part, columns)),
    [],
    ...text([words('Fingerprint  ', 'label'), span(neutralise(fingerprint)), words(`, rules version ${version}`)]),
    ...(issue.merged.length === 0
      ? []
      : text([words('Merged: ', 'label'), span(neutralise(mergedNames(issue, issue)))])),
    [],
    ...text([words('To change it: faultline explain '), span(id), words(' OTHER suggests a rule to paste.')]),
  ];
}

function whySentence({ count, basis: { rule, parts } }: IssueDetail): string {
  const used = GROUPING_PARTS.filter(({ part }) => parts.some((one) => one.part === part && one.used));
  const shared = used.map(({ shared }) => shared);
  const last = shared.pop();
  if (rule === 'unknown') return 'The events are gone, so what they had in common is unknown.';
  const list = shared.length === 0 ? (last ?? 'the same fingerprint') : `${shared.join(', ')} and ${last}`;
  const because = rule === 'rule' ? 'a rule of yours gives them the same fingerprint' : `they have ${list}`;
  if (count === 1) return `Further events join this one if ${because}.`;
  return `These ${countWithNoun(count, 'event')} are one issue because ${because}.`;
}

function partLines({ part, used, value, reason }: BasisPart, columns: number): Line[] {
  const name = GROUPING_PARTS.find((one) => one.part === part)?.name ?? part;
  const label = Array.isArray(value) && value.length > 1 ? `${name}s` : name;
  const head = [
    words(`  ${(used ? 'yes' : 'no').padEnd(NAME_AT - MARGIN)}`, used ? 'good' : 'muted'),
    span(fitToCells(label, VALUE_AT - NAME_AT - 1), used ? 'label' : 'muted'),
    words(' '),
  ];
  const meaning = used ? 'plain' : 'muted';
  if (value === null) return [[...head, words('none sent', meaning)]];
  const rows = wrapLine([...head, span(neutralise(shownValue(value)), meaning)], columns, VALUE_AT);
  const why = [words(' '.repeat(VALUE_AT)), span(neutralise(reason), 'muted')];
  return used ? rows : [...rows, ...wrapLine(why, columns, VALUE_AT)];
}
