/** A block of rows that moves; the rows that it leaves become empty. */
export interface RowShift {
  /** First row of the region, from 0. */
  readonly top: number;
  /** Row after the region. */
  readonly end: number;
  /** Rows upwards; negative: downwards. */
  readonly up: number;
}

/** Characters of the sequence that moves rows. */
const SHIFT_COST = 24;
/** Characters that writing a row needs in addition to its text. */
const ROW_COST = 10;

/** Finds the shift that saves the most output; undefined if none saves any. */
export function findRowShift(
  painted: readonly string[],
  wanted: readonly string[],
  height: number,
): RowShift | undefined {
  const shift = likelyShift(painted, wanted, height);
  if (shift === undefined) return undefined;
  let saved = -SHIFT_COST;
  for (let index = shift.top; index < shift.end; index += 1) {
    const row = wanted[index] ?? '';
    const cost = row.length + ROW_COST;
    if (row !== (painted[index] ?? '')) saved += cost;
    if (row !== rowAfter(shift, painted, index)) saved -= cost;
  }
  return saved > 0 ? shift : undefined;
}

/** Applies a shift to the painted rows. */
export function shiftRows(painted: string[], { top, end, up }: RowShift): void {
  const moved = Array.from({ length: end - top }, (_, offset) => rowAfter({ top, end, up }, painted, top + offset));
  painted.splice(top, end - top, ...moved);
}

function rowAfter({ top, end, up }: RowShift, painted: readonly string[], index: number): string {
  const from = index + up;
  return from >= top && from < end ? (painted[from] ?? '') : '';
}

/** The distance by which most of the changed rows moved, and the region that contains them before and after. */
function likelyShift(painted: readonly string[], wanted: readonly string[], height: number): RowShift | undefined {
  const indexes = new Map<string, number>();
  for (let index = 0; index < height; index += 1) {
    const row = painted[index];
    if (row) indexes.set(row, index);
  }
  const regions = new Map<number, { rows: number; top: number; end: number }>();
  for (let index = 0; index < height; index += 1) {
    const row = wanted[index] ?? '';
    const from = row === (painted[index] ?? '') ? undefined : indexes.get(row);
    if (from === undefined || from === index) continue;
    const region = regions.get(from - index) ?? { rows: 0, top: height, end: 0 };
    regions.set(from - index, region);
    region.rows += 1;
    region.top = Math.min(region.top, index, from);
    region.end = Math.max(region.end, index + 1, from + 1);
  }
  const [most] = [...regions].sort(([, a], [, b]) => b.rows - a.rows);
  if (most === undefined) return undefined;
  const [up, { top, end }] = most;
  return { top, end, up };
}
