import { hash } from 'node:crypto';
import { cutText } from '../../core/event/cut-text.js';
import { neutralise } from './visible.js';

/** Stands before every line of a block, so that none of them can pass for one of ours. */
const MARGIN = '| ';
const INDENT = '  ';
const TAB = '    ';

/**
 * Text from outside as lines of a block: hidden characters visible, a margin before each line. The lines, margins included, take about `maxLength` UTF-16 units; what was cut is said.
 */
export function untrustedLines(label: string, text: string, maxLength: number): string[] {
  const start = cutText(text, Math.max(0, maxLength));
  const shown: string[] = [];
  let room = maxLength;
  let isCut = start.length < text.length;
  for (const line of start.replaceAll('\t', TAB).split(/\r\n|\n/)) {
    // A visible form may be eight times as long as what it shows.
    const visible = neutralise(line);
    const kept = cutText(visible, Math.max(0, room - MARGIN.length - INDENT.length));
    shown.push(kept);
    room -= kept.length + MARGIN.length + INDENT.length;
    isCut ||= kept.length < visible.length;
    if (room <= 0) break;
  }
  isCut ||= room <= 0;
  const [only = ''] = shown;
  const body = shown.length === 1 ? [`${label}: ${only}`] : [`${label}:`, ...shown.map((line) => INDENT + line)];
  return [...body, ...(isCut ? [`(cut: ${label} has ${text.length} characters)`] : [])].map((line) => MARGIN + line);
}

/** Marks lines from outside as such. The boundary is made of all of them, so that none of them can name it. */
export function untrustedBlock(lines: readonly string[]): { boundary: string; lines: string[] } {
  const boundary = hash('sha256', lines.join('\n')).slice(0, 32);
  return {
    boundary,
    lines: [`BEGIN UNTRUSTED DATA ${boundary}`, ...lines, `END UNTRUSTED DATA ${boundary}`],
  };
}
