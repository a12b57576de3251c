import { isAssertionType } from '../fingerprint/standard-types.js';
import { beginTimeSlice } from '../time-slice.js';
import { type Candidate, type ComparedIssue, messageOf } from './find-candidates.js';

/** Letters besides placeholders. */
export const LITERAL = /^[^<>]*\p{L}{2}[^<>]*$/u;
export const MIN_LITERALS = 3;
const EXPECTATION = /^(?:expected|assert(?:ion)?)\b|\bexpected\b.{0,200}\b(?:but|was|got|found|actual)\b/iu;
/** More values are not judged. */
const MAX_JUDGED = 50;
/** Of the values. */
const MAX_WORD_SHARE = 1 / 3;
/** Around a value. */
const PUNCTUATION = /^[^\p{L}\p{N}]{1,8}|[^\p{L}\p{N}]{1,8}$/gu;
const PLAIN_WORD = /^\p{Lu}?\p{Ll}{1,40}$/u;
/** A verb, adjective or state follows. */
const AUXILIARY =
  /^(?:to|not|never|cannot|can|could|will|would|should|must|may|do|does|did|is|are|was|were|be|been|being|has|have|had|\p{L}{2,6}n't)$/iu;
/** Kept on purpose by the rules for messages, or names of reasons. */
const REASON = /^\d+$|(?:Error|Exception|Failure)$|^(?:E[A-Z]{3,12}|ERR_\w+|SIG[A-Z]{3,8})$/;
const WORD_ENDING = /.{3}(?:ed|ing|able|ible|ly|tion|sion|ment|less|ful|ous|ive)$/;
/** Words of failure messages that have none of these endings. */
const WORDS: ReadonlySet<string> = new Set(
  `a abort accept access acquire add after all allocate already alter an and any append apply at attach bad bind block broken build busy but by
  call cancel change check clean clear close commit compile complete compute configure connect convert copy corrupt create deny dead decode
  decrypt delete deploy detach disconnect down download drop early empty encode encrypt enter execute exit expand export extract fail false
  fetch fill find finish first flush for format free from full generate get gone handle high if import in init initialise initialize insert install
  invalid invoke is join kill large last late launch leave list listen load lock login long lost low make map match merge missing mount move never next
  no none not notify null of off offline on online open or out parse perform pop post prepare previous process publish push put query queue reach
  read rebuild receive recover refresh register reject release reload remove rename render renew repair replace reply report request reset
  resolve restart restore retrieve retry return rollback rotate run save scan search second seek select send serialize set short shut shutdown sign
  skip small spawn split stale start stat stop store submit subscribe sync terminate the timeout to true truncate unknown unlink unlock unmount
  unregister unsafe up update upgrade upload use validate verify wait was with wrap write wrong yes`.split(/\s+/),
);

/** The candidates, in their order, with enough literal words whose part varies, and not as a word of other messages of the service does; works in slices of time. */
export async function likelyOnes(
  candidates: readonly Candidate[],
  issues: readonly ComparedIssue[],
): Promise<Candidate[]> {
  const worded = candidates.filter((candidate) => hasEnoughText(candidate) && !isExpectation(candidate.issues[0]));
  const texts = await textWords(worded, issues);
  return worded.filter((candidate) => {
    const judged = judgedOf(candidate);
    const words = judged.reduce((sum, value) => sum + likenessToWord(value, candidate, texts), 0);
    return words <= judged.length * MAX_WORD_SHARE;
  });
}

/** A type and a culprit that the issues share count as a word each. */
function hasEnoughText({ issues: [issue], parts, place }: Candidate): boolean {
  const words = parts.toSpliced(place, 1).flatMap((part) => part.split(' '));
  const shared = (messageOf(issue) === issue.title ? 0 : 1) + (issue.culprit === null ? 0 : 1);
  return words.filter((word) => LITERAL.test(word)).length + shared >= MIN_LITERALS;
}

/** Whether an assertion failed: its message compares values. */
export function isExpectation(issue: ComparedIssue): boolean {
  return isAssertionType(issue.errorName.split(' ')[0] ?? '') || EXPECTATION.test(messageOf(issue));
}

/** 1 for words and reasons, less for names that other messages have as text too, 0 for values. */
function likenessToWord(
  value: string,
  { issues: [issue], parts, place }: Candidate,
  texts: ReadonlySet<string>,
): number {
  const words = value.split(' ').map((word) => word.replaceAll(PUNCTUATION, ''));
  const plain = words.filter((word) => PLAIN_WORD.test(word));
  // Names are capitalized, reasons are not.
  if (words.length > 1) return plain.some((word) => word === word.toLowerCase()) ? 1 : 0;
  const [word = ''] = words;
  if (plain.length === 0) return REASON.test(word) ? 1 : 0;
  const lower = word.toLowerCase();
  const previous = parts[place - 1]?.split(' ').at(-1) ?? '';
  if (WORDS.has(lower) || WORD_ENDING.test(lower) || AUXILIARY.test(previous)) return 1;
  return texts.has(`${issue.app} ${issue.service} ${lower}`) ? 1 / 2 : 0;
}

/** Those values that occur, with app and service, in other issues, or as the text of a candidate. */
async function textWords(
  candidates: readonly Candidate[],
  issues: readonly ComparedIssue[],
): Promise<ReadonlySet<string>> {
  const slice = beginTimeSlice();
  const { values, rows } = await valuesOf(candidates);
  const texts = new Set<string>();
  const addText = ({ app, service }: ComparedIssue, text: string): void => {
    for (const word of wordsOf(text)) if (values.has(word)) texts.add(`${app} ${service} ${word}`);
  };
  for (const { issues, parts, place } of candidates) addText(issues[0], parts.toSpliced(place, 1).join(' '));
  for (const [row, issue] of issues.entries()) {
    if (slice.isOver) await slice.next();
    if (!rows.has(row)) addText(issue, messageOf(issue));
  }
  return texts;
}

/** The words of the judged values, and the rows of all issues in the candidates. */
async function valuesOf(candidates: readonly Candidate[]): Promise<{ values: Set<string>; rows: Set<number> }> {
  const slice = beginTimeSlice();
  const values = new Set<string>();
  const rows = new Set<number>();
  for (const candidate of candidates) {
    if (slice.isOver) await slice.next();
    for (const word of judgedOf(candidate).flatMap(wordsOf)) values.add(word);
    for (const row of candidate.rows) rows.add(row);
  }
  return { values, rows };
}

function judgedOf({ values }: Candidate): string[] {
  return [...values].slice(0, MAX_JUDGED);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(' ')
    .map((word) => word.replaceAll(PUNCTUATION, ''));
}
