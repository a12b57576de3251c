/** The first of 6,400 private-use characters: one for every row of a frame. */
const FIRST_REFERENCE = 0xe000;
const MAX_REFERENCES = 6_400;

/**
 * Painted rows on their way through Ink, which makes an object of every cell and measures it. So a row passes as one character that stands for it,
 * on a canvas one column wide, and is put back behind Ink.
 */
export interface RowReferences {
  /** The character that stands for a row until the frame is complete. */
  refer(row: string): string;
  /** The rows of a complete frame; forgets them. */
  resolve(frame: string): string[];
}

/** Makes an empty set of references. */
export function createRowReferences(): RowReferences {
  let rows: string[] = [];
  return {
    refer(row) {
      if (rows.length >= MAX_REFERENCES) return '';
      rows.push(row);
      return String.fromCharCode(FIRST_REFERENCE + rows.length - 1);
    },
    resolve(frame) {
      const resolved = frame.split('\n').map((line) => rows[line.charCodeAt(0) - FIRST_REFERENCE] ?? '');
      rows = [];
      return resolved;
    },
  };
}
