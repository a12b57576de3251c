import { CONSOLE_KEYS, CONTROL_KEYS, LETTER_KEYS, type NamedKey, SS3_KEYS, TILDE_KEYS } from './named-keys.js';

/** A mouse event at a zero-based cell. A turn of the wheel is a press without a release. */
export interface MouseInput {
  readonly kind: 'mouse';
  readonly button: MouseButton;
  readonly column: number;
  readonly row: number;
  readonly isPress: boolean;
}

export type MouseButton = 'left' | 'middle' | 'right' | 'wheel_up' | 'wheel_down';

/** A key press, a paste or a mouse event. Pasted text is never a key, so that it cannot run commands. */
export type KeyInput =
  | { readonly kind: 'key'; readonly key: NamedKey }
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'paste'; readonly text: string }
  | MouseInput;

const ESCAPE = '\u001b';
const PASTE_START = '200';
const PASTE_END = `${ESCAPE}[201~`;
const MAX_PASTE_UNITS = 4_096;
/** A slow connection splits sequences. */
const SEQUENCE_TIMEOUT_MS = 50;
/** Long, because the rest of a paste would run commands; bounded, because its end may be lost. */
const PASTE_TIMEOUT_MS = 3_000;
/** An X10 mouse report has three bytes after its final one. */
const X10_MOUSE = 'M';
const X10_MOUSE_UNITS = 3;
const CSI = /^\[([0-?]*)[ -/]*([@-~])/;
const UNFINISHED_CSI = /^\[[0-?]*[ -/]*$/;
const MAX_CSI_UNITS = 64;
/** OSC, DCS, SOS, PM, APC: strings up to ST or BEL, sent by terminals as replies. */
const STRING_INTRODUCER = /^[\]PX^_]/;
const STRING_END = /\u0007|\u001b\\/;

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
const MOUSE_PARAMETERS = /^<(\d{1,3});(\d{1,5});(\d{1,5})$/;

type Mode = 'keys' | 'paste' | 'string';

/** Creates a parser of terminal input, however it is split; after `flushAfterMs` without input call `flush`, which gives the Escape key. Without `isMouseOn` mouse reports are dropped. */
export function createKeyParser(isMouseOn = () => false) {
  let mode: Mode = 'keys';
  let pending = '';
  let pasted = '';
  let toSkip = 0;

  function push(text: string): KeyInput[] {
    const inputs: KeyInput[] = [];
    let rest = pending + text;
    pending = '';
    while (rest !== '') {
      const before = rest;
      if (mode === 'paste') rest = parsePaste(rest, inputs);
      else if (mode === 'string') rest = parseString(rest);
      else rest = parseKey(rest, inputs);
      if (rest === before) {
        pending = rest;
        break;
      }
    }
    return inputs;
  }

  function parsePaste(rest: string, inputs: KeyInput[]): string {
    const found = rest.indexOf(PASTE_END);
    // The end mark may be split over chunks: keep its possible start.
    const end = found >= 0 ? found : Math.max(0, rest.length - PASTE_END.length + 1);
    pasted = (pasted + rest.slice(0, end)).slice(0, MAX_PASTE_UNITS);
    if (found < 0) return rest.slice(end);
    endPaste(inputs);
    return rest.slice(found + PASTE_END.length);
  }

  function endPaste(inputs: KeyInput[]): void {
    inputs.push({ kind: 'paste', text: pasted });
    pasted = '';
    mode = 'keys';
  }

  function parseString(rest: string): string {
    const end = STRING_END.exec(rest);
    if (end === null) return rest.endsWith(ESCAPE) ? ESCAPE : '';
    mode = 'keys';
    return rest.slice(end.index + end[0].length);
  }

  function parseKey(rest: string, inputs: KeyInput[]): string {
    if (toSkip > 0) {
      const skipped = Math.min(toSkip, rest.length);
      toSkip -= skipped;
      return rest.slice(skipped);
    }
    if (rest.startsWith(ESCAPE)) return parseEscape(rest, inputs);
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    const key = CONTROL_KEYS[character];
    if (key !== undefined) inputs.push({ kind: 'key', key });
    else if (!/[\p{Cc}\p{Cs}]/u.test(character)) inputs.push({ kind: 'character', character });
    return rest.slice(character.length);
  }

  /** Parses an escape sequence; returns the input unchanged if it is incomplete. */
  function parseEscape(rest: string, inputs: KeyInput[]): string {
    const body = rest.slice(1, MAX_CSI_UNITS);
    if (body === '') return rest;
    if (STRING_INTRODUCER.test(body)) {
      mode = 'string';
      return rest.slice(2);
    }
    if (body.startsWith('O')) {
      if (body.length === 1) return rest;
      pushKey(inputs, SS3_KEYS[body.charAt(1)]);
      return rest.slice(3);
    }
    if (body.startsWith('[[')) {
      if (body.length === 2) return rest;
      pushKey(inputs, CONSOLE_KEYS[body.charAt(2)]);
      return rest.slice(4);
    }
    if (body.startsWith('[')) {
      const sequence = CSI.exec(body);
      if (sequence !== null) {
        parseCsi(sequence[1] ?? '', sequence[2] ?? '', inputs);
        return rest.slice(1 + sequence[0].length);
      }
      if (UNFINISHED_CSI.test(body) && body.length < MAX_CSI_UNITS - 1) return rest;
      return rest.slice(2);
    }
    // Alt keys are not used: an escape before any other character is the Escape key.
    inputs.push({ kind: 'key', key: 'escape' });
    return rest.slice(1);
  }

  function parseCsi(parameters: string, final: string, inputs: KeyInput[]): void {
    const mouse = isMouseOn() ? parseMouseReport(parameters, final) : undefined;
    if (mouse !== undefined) inputs.push(mouse);
    if (final === X10_MOUSE) {
      if (parameters === '') toSkip = X10_MOUSE_UNITS;
      return;
    }
    const first = parameters.split(';')[0] ?? '';
    if (final === '~' && first === PASTE_START) mode = 'paste';
    else if (final === '~') pushKey(inputs, TILDE_KEYS[first]);
    else if (!/^[<=>?]/.test(parameters)) pushKey(inputs, LETTER_KEYS[final]);
  }

  return {
    push,
    /** Undefined unless a sequence or a paste is incomplete. */
    flushAfterMs(): number | undefined {
      if (mode === 'paste') return PASTE_TIMEOUT_MS;
      return pending !== '' || mode === 'string' || toSkip > 0 ? SEQUENCE_TIMEOUT_MS : undefined;
    },
    flush(): KeyInput[] {
      const inputs: KeyInput[] = [];
      if (mode === 'paste') {
        pasted += pending;
        endPaste(inputs);
      } else if (mode === 'keys' && pending === ESCAPE) inputs.push({ kind: 'key', key: 'escape' });
      mode = 'keys';
      pending = '';
      toSkip = 0;
      return inputs;
    },
  };
}

function pushKey(inputs: KeyInput[], key: NamedKey | undefined): void {
  if (key !== undefined) inputs.push({ kind: 'key', key });
}

/** Parses an SGR report (`ESC [ < b ; x ; y M` or `m`); undefined for other sequences, moves and other buttons. */
function parseMouseReport(parameters: string, final: string): MouseInput | undefined {
  const report = MOUSE_PARAMETERS.exec(parameters);
  if (report === null || (final !== 'M' && final !== 'm')) return undefined;
  const [, code, x, y] = report;
  const button = BUTTONS.get(Number(code) & ~MODIFIERS);
  if (button === undefined || Number(x) === 0 || Number(y) === 0) return undefined;
  return { kind: 'mouse', button, column: Number(x) - 1, row: Number(y) - 1, isPress: final === 'M' };
}
