/** What was written to a terminal, read by a closed list of our own sequences. */
export interface TerminalBytes {
  /** What is left without our sequences; it should hold nothing that a terminal obeys. */
  readonly text: string;
  readonly styles: ReadonlySet<string>;
  /** What each row shows at the end, as we meant it. */
  readonly rows: readonly string[];
}

/** Every sequence that we write: the screen taken and given back, marks of updates, rows, rows that move, styles, the mouse, the clipboard. */
const OWN =
  /\u001b\[(?:(?<row>\d+);1H|(?<erase>K)|(?<clear>2J)|(?<region>\d+;\d+)?r|(?<moved>\d+)(?<way>[LM])|(?<style>[0-9;]*)m|\?(?:1049|25|7|2004|2026|1000|1006)[hl])|\u001b\]52;c;[A-Za-z0-9+/=]*\u0007/g;

/** Reads what was written to a window of so many rows. */
export function readTerminalBytes(written: string, height: number): TerminalBytes {
  const styles = new Set<string>();
  let rows = Array.from({ length: height }, () => '');
  let at = 0;
  let region = { top: 0, end: height };
  let text = '';
  let behind = 0;
  const take = (plain: string): void => {
    if (plain === '') return;
    text += `${plain}\n`;
    rows[at] += plain;
  };
  for (const match of written.matchAll(OWN)) {
    take(written.slice(behind, match.index));
    behind = match.index + match[0].length;
    const { row, erase, clear, region: bounds, moved, way, style } = match.groups ?? {};
    if (row !== undefined) at = Number(row) - 1;
    if (erase !== undefined) rows[at] = '';
    if (clear !== undefined) rows = rows.map(() => '');
    if (style !== undefined) styles.add(style);
    if (match[0].endsWith('r')) region = regionOf(bounds, height);
    if (moved !== undefined) rows = movedRows(rows, { ...region, at }, way === 'M' ? Number(moved) : -Number(moved));
  }
  take(written.slice(behind));
  return { text, styles, rows: rows.map((row) => row.trimEnd()) };
}

function regionOf(bounds: string | undefined, height: number): { top: number; end: number } {
  const [top, end] = (bounds ?? `1;${height}`).split(';').map(Number);
  return { top: (top ?? 1) - 1, end: end ?? height };
}

/** Lines deleted (`by` above 0) or inserted at a row of a scrolling region. */
function movedRows(rows: readonly string[], { at, end }: { at: number; end: number }, by: number): string[] {
  const empty = Array.from({ length: Math.abs(by) }, () => '');
  const moving = rows.slice(at, end);
  const kept = by > 0 ? [...moving.slice(by), ...empty] : [...empty, ...moving.slice(0, by)];
  return [...rows.slice(0, at), ...kept, ...rows.slice(end)];
}
