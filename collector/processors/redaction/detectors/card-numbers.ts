import { execAt, isAlphanumeric, isDigit } from './characters.js';
import type { ReportFinding } from './finding.js';

/** Groups of digits with single blanks or dashes between them. The bounds limit backtracking and exceed every card number. */
const GROUPS = /\d{1,32}(?:[ -]\d{1,32}){0,15}/y;
const FOUR_DIGITS = /\d{4}/;
/** Group lengths of printed card numbers. */
const LAYOUTS: ReadonlySet<string> = new Set(['4 4 4 4', '4 6 5', '4 6 4', '4 4 4 4 3', '4 4 4 1']);

/** Groups in the longest layout. */
const MAX_GROUPS = 5;
const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

interface Touches {
  readonly left: boolean;
  readonly right: boolean;
}

const ISSUERS: readonly { readonly begin: RegExp; readonly lengths: readonly number[] }[] = [
  { begin: /^4/, lengths: [13, 16, 19] },
  { begin: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { begin: /^3[47]/, lengths: [15] },
  { begin: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { begin: /^(?:30[0-5]|309|36|38|39)/, lengths: [14, 16] },
  { begin: /^35(?:2[89]|[3-8])/, lengths: [16, 19] },
  { begin: /^62/, lengths: [16, 17, 18, 19] },
  { begin: /^(?:50|5[6-8]|6[37])/, lengths: [16, 19] },
];

/** Whether a text has four digits in a row, as every card number has. */
export function mayHaveCardNumber(text: string): boolean {
  return text.length >= MIN_DIGITS && FOUR_DIGITS.test(text);
}

/** Finds card numbers of known issuers with a valid check digit, not within longer numbers, ids or names. */
export function findCardNumbers(text: string, report: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    if (!isDigit(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    const [run = ''] = execAt(GROUPS, text, at) ?? [];
    // Every layout has a group of four digits.
    if (run.length >= MIN_DIGITS && FOUR_DIGITS.test(run)) {
      findInRun(run, at, report, { left: isOfWord(text, at - 1), right: isOfWord(text, at + run.length) });
    }
    at += Math.max(1, run.length);
  }
  return at;
}

function isOfWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (isAlphanumeric(code) || code === 0x5f || code === 0x2d) return true;
  // A decimal point, not the end of a sentence.
  return code === 0x2e && isAlphanumeric(text.charCodeAt(at + 1)) && isAlphanumeric(text.charCodeAt(at - 1));
}

/** Blanks can separate a card number from other numbers; dashes cannot. */
function findInRun(run: string, index: number, report: ReportFinding, touches: Touches): void {
  const hasDashes = run.includes('-');
  if (hasDashes && run.includes(' ')) {
    findInPieces(run, index, report, touches);
    return;
  }
  const groups = [...run.matchAll(/\d+/g)].map((group): Group => ({ digits: group[0], start: group.index }));
  // A group that touches a word is part of a name.
  const first = touches.left ? 1 : 0;
  const end = groups.length - (touches.right ? 1 : 0);
  if (hasDashes) {
    if (first === 0 && end === groups.length && isCard(groups)) reportGroups(groups, index, report);
    return;
  }
  for (let at = first; at < end; at += 1) {
    const card = cardAt(groups.slice(at, end));
    if (card === undefined) continue;
    reportGroups(card, index, report);
    at += card.length - 1;
  }
}

interface Group {
  readonly digits: string;
  readonly start: number;
}

/** The shortest card number that begins with the first group. */
function cardAt(groups: readonly Group[]): readonly Group[] | undefined {
  for (let count = 1; count <= Math.min(groups.length, MAX_GROUPS); count += 1) {
    const candidate = groups.slice(0, count);
    if (isCard(candidate)) return candidate;
  }
  return undefined;
}

function reportGroups(groups: readonly Group[], index: number, report: ReportFinding): void {
  const [first] = groups;
  const last = groups.at(-1);
  if (first === undefined || last === undefined) return;
  report(index + first.start, index + last.start + last.digits.length, 'card_numbers');
}

/** Checks each word of a run such as `2026-11-22 4111-1111-1111-1111` by itself. */
function findInPieces(run: string, index: number, report: ReportFinding, touches: Touches): void {
  for (const piece of run.matchAll(/[^ ]+/g)) {
    const left = touches.left && piece.index === 0;
    const right = touches.right && piece.index + piece[0].length === run.length;
    if (piece[0].length >= MIN_DIGITS) findInRun(piece[0], index + piece.index, report, { left, right });
  }
}

function isCard(groups: readonly Group[]): boolean {
  const digits = groups.map((group) => group.digits).join('');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false;
  if (groups.length > 1 && !LAYOUTS.has(groups.map((group) => group.digits.length).join(' '))) return false;
  if (/^(\d)\1+$/.test(digits)) return false;
  // Written as one number it is an id of 64 bits, unless the issuer is one of those with such cards.
  if (digits.length === 19 && groups.length === 1 && !/^[56]/.test(digits)) return false;
  const isIssued = ISSUERS.some(({ begin, lengths }) => lengths.includes(digits.length) && begin.test(digits));
  return isIssued && fitsLuhn(digits);
}

/** ISO/IEC 7812-1 annex B. */
function fitsLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 0x30;
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
