/** Rows of the screen that move together; the rows that become free are empty. */
export interface RowShift {
  /** First row of the region, from 0. */
  readonly top: number;
  /** Row behind the region. */
  readonly end: number;
  /** Rows upwards; negative is downwards. */
  readonly up: number;
}

/** Characters that moving rows costs itself. */
const SHIFT_COST = 24;
/** Characters that a row costs beside its text. */
const ROW_COST = 10;

/** The shift of what is painted that saves most of painting what is wanted; undefined where painting the rows that changed is as short. */
export function findRowShift(
  painted: readonly string[],
  wanted: readonly string[],
  height: number,
): RowShift | undefined {
  const shift = likelyShift(painted, wanted, height);
  if (shift === undefined) return undefined;
  let saved = -SHIFT_COST;
  for (let place = shift.top; place < shift.end; place += 1) {
    const row = wanted[place] ?? '';
    const cost = row.length + ROW_COST;
    if (row !== (painted[place] ?? '')) saved += cost;
    if (row !== rowAfter(shift, painted, place)) saved -= cost;
  }
  return saved > 0 ? shift : undefined;
}

/** What is painted once a shift has been done. */
export function shiftRows(painted: string[], { top, end, up }: RowShift): void {
  const moved = Array.from({ length: end - top }, (_, offset) => rowAfter({ top, end, up }, painted, top + offset));
  painted.splice(top, end - top, ...moved);
}

function rowAfter({ top, end, up }: RowShift, painted: readonly string[], place: number): string {
  const from = place + up;
  return from >= top && from < end ? (painted[from] ?? '') : '';
}

/** The distance that most of the changed rows have moved by, and the region that they were and are in. */
function likelyShift(painted: readonly string[], wanted: readonly string[], height: number): RowShift | undefined {
  const places = new Map<string, number>();
  for (let place = 0; place < height; place += 1) {
    const row = painted[place];
    if (row) places.set(row, place);
  }
  const regions = new Map<number, { rows: number; top: number; end: number }>();
  for (let place = 0; place < height; place += 1) {
    const row = wanted[place] ?? '';
    const from = row === (painted[place] ?? '') ? undefined : places.get(row);
    if (from === undefined || from === place) continue;
    const region = regions.get(from - place) ?? { rows: 0, top: height, end: 0 };
    regions.set(from - place, region);
    region.rows += 1;
    region.top = Math.min(region.top, place, from);
    region.end = Math.max(region.end, place + 1, from + 1);
  }
  const [most] = [...regions].sort(([, a], [, b]) => b.rows - a.rows);
  if (most === undefined) return undefined;
  const [up, { top, end }] = most;
  return { top, end, up };
}
