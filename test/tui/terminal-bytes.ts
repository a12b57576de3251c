/** What was written to a terminal, read by a closed list of our own sequences. */
export interface TerminalBytes {
  /** Reads on: everything that was written so far, of which what was read before is passed over. Answers the new text without our sequences; it should hold nothing that a terminal obeys. */
  read(written: string): string;
  /** Parameters of the styles that were read, each once. */
  readonly styles: ReadonlySet<string>;
  /** What each row shows now, as we meant it. */
  rows(): readonly string[];
}

/** Every sequence that we write: the screen taken and given back, marks of updates, rows, rows that move, styles, the mouse, the clipboard. */
const OWN =
  /\u001b\[(?:(?<row>\d+);1H|(?<erase>K)|(?<clear>2J)|(?<region>\d+;\d+)?r|(?<moved>\d+)(?<way>[LM])|(?<style>[0-9;]*)m|\?(?:1049|25|7|2004|2026|1000|1006)[hl])|\u001b\]52;c;[A-Za-z0-9+/=]*\u0007/g;

/** Reads what is written to a window of so many rows. */
export function createTerminalBytes(height: number): TerminalBytes {
  const styles = new Set<string>();
  let rows = Array.from({ length: height }, () => '');
  let at = 0;
  let end = height;
  let offset = 0;

  return {
    styles,
    rows: () => rows.map((row) => row.trimEnd()),
    read(written) {
      const fresh = written.slice(offset);
      offset = written.length;
      let text = '';
      let behind = 0;
      const take = (plain: string): void => {
        text += plain;
        rows[at] += plain;
      };
      for (const match of fresh.matchAll(OWN)) {
        take(fresh.slice(behind, match.index));
        behind = match.index + match[0].length;
        const { row, erase, clear, region: bounds, moved, way, style } = match.groups ?? {};
        if (row !== undefined) at = Number(row) - 1;
        if (erase !== undefined) rows[at] = '';
        if (clear !== undefined) rows = rows.map(() => '');
        if (style !== undefined) styles.add(style);
        if (match[0].endsWith('r')) end = Number(bounds?.split(';')[1] ?? height);
        if (moved !== undefined) rows = movedRows(rows, { at, end }, way === 'M' ? Number(moved) : -Number(moved));
      }
      take(fresh.slice(behind));
      return text;
    },
  };
}

/** Lines deleted (`by` above 0) or inserted at a row of a scrolling region. */
function movedRows(rows: readonly string[], { at, end }: { at: number; end: number }, by: number): string[] {
  const empty = Array.from({ length: Math.abs(by) }, () => '');
  const moving = rows.slice(at, end);
  const kept = by > 0 ? [...moving.slice(by), ...empty] : [...empty, ...moving.slice(0, by)];
  return [...rows.slice(0, at), ...kept, ...rows.slice(end)];
}
