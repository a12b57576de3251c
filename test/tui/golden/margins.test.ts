import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellsOf, literal } from '../../../tui/text/visible.js';

const FOLDER = 'test/fixtures/tui/screens';
/** Filter, prompts and menus begin at the second cell, as do the tabs; groups of the help have their title there. */
const BARS = /^ (?:\/ |: |[1-6][[ ]|\d[\d,]* marked|(?:Move|Triage|Look|Filter|Other|Signs)\b)/;
/** The first row of a menu or prompt; a prompt has its hint and its mistake above it. */
const OVERLAY = /^(?:──|--) |^ (?:y yes|: |[a-z][a-z ]*: .*█)/;
const ABOVE_PROMPT = /^ (?:[^ ›*"]|"soon)/;

interface GoldenScreen {
  readonly name: string;
  readonly columns: number;
  /** Below the title bar and the tabs, without the last row, a menu and a prompt. */
  readonly content: readonly string[];
}

const screens = readdirSync(FOLDER)
  .filter((name) => !name.startsWith('too-small'))
  .map((name): GoldenScreen => {
    const [head = '', ...all] = readFileSync(join(FOLDER, name), 'utf8').trimEnd().split('\n');
    const overlay = all.findLastIndex((row) => OVERLAY.test(row));
    const isOver = overlay >= 0 && !/ p hides (?:──|--)$/.test(all[overlay] ?? '');
    let end = isOver ? overlay : all.length - 1;
    while (isOver && !/^[─-]/.test(all[overlay] ?? '') && ABOVE_PROMPT.test(all[end - 1] ?? '')) end -= 1;
    const content = all.slice(2, end).filter((row) => !BARS.test(row));
    return { name, columns: Number.parseInt(head, 10), content };
  });

/** The words of all screens: what two rows make together is one of them only if it was broken. */
const known = new Set(
  screens.flatMap(({ content }) => content.flatMap((row) => row.match(/[\p{L}\p{N}]{3,}/gu) ?? [])),
);

describe('every golden screen', () => {
  it.each(screens)('$name begins the text of its content at the third cell', ({ content }) => {
    // Cells 1 and 2 are of the cursor and the mark.
    const outside = content.filter((row) => row !== '' && !/^[ ›>][ *]|^(?:──|--) /.test(row));
    expect(outside).toEqual([]);
  });

  it.each(screens)('$name breaks no word that fits a line', ({ content, columns }) => {
    const broken = content.flatMap((row, index) => {
      const first = /^ +([\p{L}\p{N}]+)/u.exec(content[index + 1] ?? '')?.[1] ?? '';
      const last = /[\p{L}\p{N}]+$/u.exec(row)?.[0] ?? '';
      const isBroken = cellsOf(literal(row)) >= columns - 1 && first !== '' && last !== '' && known.has(last + first);
      return isBroken ? [row] : [];
    });
    expect(broken).toEqual([]);
  });
});

describe('the help', () => {
  const pages = screens.filter(({ name }) => /help.*\.small\.txt$/.test(name));

  it.each(pages)('$name is one page at 80x24', ({ content }) => {
    expect(content.at(-1)).toMatch(/^ {2}(?:Keys that do nothing here are grey|Read-only: .*)\.$/);
  });
});
