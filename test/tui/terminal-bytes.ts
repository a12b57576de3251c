/** Parses the output of a terminal by a closed list of our own sequences. */
export interface TerminalBytes {
  /** Parses everything written since the last call. Returns its text without our sequences, which must not contain any other. */
  read(written: string): string;
  /** Parameters of the parsed styles, each once. */
  readonly styles: ReadonlySet<string>;
  /** The intended content of each row. */
  rows(): readonly string[];
}

/** Every sequence that we write: entering and leaving the screen, synchronized updates, rows, moved rows, styles, the mouse, the clipboard. */
const OWN =
  /\u001b\[(?:(?<row>\d+);(?<column>\d+)H|(?<gap>\d+)C|(?<erase>K)|(?<clear>2J)|(?<region>\d+;\d+)?r|(?<moved>\d+)(?<way>[LM])|(?<style>[0-9;]*)m|\?(?:1049|25|7|2004|2026|1000|1006)[hl])|\u001b\]52;c;[A-Za-z0-9+/=]*\u0007/g;

/** Creates a parser for a window of this height. */
export function createTerminalBytes(height: number): TerminalBytes {
  const styles = new Set<string>();
  let rows = Array.from({ length: height }, () => '');
  let at = 0;
  /** Index in the row: what stands before a written part has one cell for each character. */
  let from = 0;
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
      const append = (plain: string): void => {
        text += plain;
        const row = rows[at] ?? '';
        rows[at] = row.slice(0, from) + plain + row.slice(from + plain.length);
        from += plain.length;
      };
      for (const match of fresh.matchAll(OWN)) {
        append(fresh.slice(behind, match.index));
        behind = match.index + match[0].length;
        const { row, column, gap, erase, clear, region: bounds, moved, way, style } = match.groups ?? {};
        if (row !== undefined) at = Number(row) - 1;
        if (column !== undefined) from = Number(column) - 1;
        if (erase !== undefined) rows[at] = (rows[at] ?? '').slice(0, from);
        if (gap !== undefined) {
          rows[at] += ' '.repeat(Number(gap));
          from += Number(gap);
        }
        if (clear !== undefined) rows = rows.map(() => '');
        if (style !== undefined) styles.add(style);
        if (match[0].endsWith('r')) end = Number(bounds?.split(';')[1] ?? height);
        if (moved !== undefined) rows = movedRows(rows, { at, end }, way === 'M' ? Number(moved) : -Number(moved));
      }
      append(fresh.slice(behind));
      return text;
    },
  };
}

/** Deletes (`by` above 0) or inserts lines at a row of a scrolling region. */
function movedRows(rows: readonly string[], { at, end }: { at: number; end: number }, by: number): string[] {
  const empty = Array.from({ length: Math.abs(by) }, () => '');
  const moving = rows.slice(at, end);
  const kept = by > 0 ? [...moving.slice(by), ...empty] : [...empty, ...moving.slice(0, by)];
  return [...rows.slice(0, at), ...kept, ...rows.slice(end)];
}
