/** A mouse event at a zero-based cell. A turn of the wheel is a press without a release. */
export interface MouseInput {
  readonly kind: 'mouse';
  readonly button: MouseButton;
  readonly column: number;
  readonly row: number;
  readonly isPress: boolean;
}

export type MouseButton = 'left' | 'middle' | 'right' | 'wheel_up' | 'wheel_down';

/** Keys are button numbers of SGR reports, without modifier bits. */
const BUTTONS: ReadonlyMap<number, MouseButton> = new Map([
  [0, 'left'],
  [1, 'middle'],
  [2, 'right'],
  [64, 'wheel_up'],
  [65, 'wheel_down'],
]);
/** Shift, meta and control (xterm's control sequences, "Mouse Tracking"). */
const MODIFIERS = 4 | 8 | 16;
const PARAMETERS = /^<(\d{1,3});(\d{1,5});(\d{1,5})$/;

/** Parses an SGR report (`ESC [ < b ; x ; y M` or `m`); undefined for other sequences, moves and other buttons. */
export function parseMouseReport(parameters: string, final: string): MouseInput | undefined {
  const report = PARAMETERS.exec(parameters);
  if (report === null || (final !== 'M' && final !== 'm')) return undefined;
  const [, code, x, y] = report;
  const button = BUTTONS.get(Number(code) & ~MODIFIERS);
  if (button === undefined || Number(x) === 0 || Number(y) === 0) return undefined;
  return { kind: 'mouse', button, column: Number(x) - 1, row: Number(y) - 1, isPress: final === 'M' };
}
