import { countWithNoun } from '../../text/counts.js';
import type { DetailBlock } from './detail-view.js';

/** Headings of the sections that can be folded. */
export const DETAIL_SECTIONS = ['Tags', 'Raw Payload', 'Normalized Event'] as const;
export type DetailSection = (typeof DETAIL_SECTIONS)[number];

function isDetailSection(text: string): text is DetailSection {
  return DETAIL_SECTIONS.some((section) => section === text);
}

/** A detail view whose `folded` sections show only their heading and number of hidden lines. */
export function foldedDetail(
  blocks: readonly DetailBlock[],
  folded: ReadonlySet<DetailSection>,
): readonly DetailBlock[] {
  const shown: DetailBlock[] = [];
  let section: { heading: DetailBlock; hiddenLines: number } | undefined;
  const close = (): void => {
    if (section === undefined) return;
    const hidden = countWithNoun(section.hiddenLines, 'line');
    shown.push({ ...section.heading, text: `${section.heading.text}  ▸ ${hidden} folded` });
    section = undefined;
  };
  for (const block of blocks) {
    if (block.kind === 'section' && isDetailSection(block.text) && folded.has(block.text)) {
      section = { heading: block, hiddenLines: 0 };
    } else if (section === undefined) shown.push(block);
    else if (block.kind === 'gap') {
      close();
      shown.push(block);
    } else section.hiddenLines += lineCount(block.text);
  }
  close();
  return shown;
}

/** The foldable sections with the index of their heading's line and the end of their lines. */
export function sectionLines(
  blocks: readonly DetailBlock[],
): readonly { section: DetailSection; line: number; end: number }[] {
  const found: { section: DetailSection; line: number; end: number }[] = [];
  let line = 0;
  for (const { kind, text } of blocks) {
    const heading = text.split('  ▸ ', 1)[0] ?? '';
    const last = found.at(-1);
    if (kind === 'section' && isDetailSection(heading)) found.push({ section: heading, line, end: line + 1 });
    else if (last !== undefined && kind !== 'gap' && kind !== 'link' && last.end === line)
      last.end = line + lineCount(text);
    line += lineCount(text);
  }
  return found;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
