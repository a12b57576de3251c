import { cutText } from '../../core/event/text.js';
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

/** Parses terminal input, however it is split: `push` text as it arrives, and after `flushAfterMs` without input call `flush`. */
export class KeyParser {
  readonly #isMouseOn: () => boolean;
  #mode: Mode = 'keys';
  /** The beginning of a sequence whose end has not arrived. */
  #pending = '';
  #pasted = '';
  /** Units of an X10 mouse report that are still to come. */
  #toSkip = 0;

  /** Drops mouse reports while `isMouseOn` returns false, which is the default. */
  constructor(isMouseOn = () => false) {
    this.#isMouseOn = isMouseOn;
  }

  push(text: string): KeyInput[] {
    const inputs: KeyInput[] = [];
    let rest = this.#pending + text;
    this.#pending = '';
    while (rest !== '') {
      const after = this.#parse(rest, inputs);
      if (after === rest) {
        this.#pending = rest;
        break;
      }
      rest = after;
    }
    return inputs;
  }

  /** Milliseconds to wait for the rest of a sequence or a paste; undefined if nothing is incomplete. */
  flushAfterMs(): number | undefined {
    if (this.#mode === 'paste') return PASTE_TIMEOUT_MS;
    const isIncomplete = this.#pending !== '' || this.#mode === 'string' || this.#toSkip > 0;
    return isIncomplete ? SEQUENCE_TIMEOUT_MS : undefined;
  }

  /** Gives up waiting: a lone escape is the Escape key, an open paste ends, other incomplete sequences are dropped. */
  flush(): KeyInput[] {
    const inputs: KeyInput[] = [];
    if (this.#mode === 'paste') {
      this.#pasted += this.#pending;
      this.#endPaste(inputs);
    } else if (this.#mode === 'keys' && this.#pending === ESCAPE) {
      inputs.push({ kind: 'key', key: 'escape' });
    }
    this.#mode = 'keys';
    this.#pending = '';
    this.#toSkip = 0;
    return inputs;
  }

  /** Parses one thing at the start of `rest`; returns what follows, or `rest` itself if it is incomplete. */
  #parse(rest: string, inputs: KeyInput[]): string {
    if (this.#mode === 'paste') return this.#parsePaste(rest, inputs);
    if (this.#mode === 'string') return this.#parseString(rest);
    if (this.#toSkip > 0) return this.#skip(rest);
    if (rest.startsWith(ESCAPE)) return this.#parseEscape(rest, inputs);
    return parseCharacter(rest, inputs);
  }

  #parsePaste(rest: string, inputs: KeyInput[]): string {
    const pasteEnd = rest.indexOf(PASTE_END);
    // The end mark may be split over chunks: keep its possible start.
    const end = pasteEnd >= 0 ? pasteEnd : Math.max(0, rest.length - PASTE_END.length + 1);
    this.#pasted = cutText(this.#pasted + rest.slice(0, end), MAX_PASTE_UNITS);
    if (pasteEnd < 0) return rest.slice(end);
    this.#endPaste(inputs);
    return rest.slice(pasteEnd + PASTE_END.length);
  }

  #endPaste(inputs: KeyInput[]): void {
    inputs.push({ kind: 'paste', text: this.#pasted });
    this.#pasted = '';
    this.#mode = 'keys';
  }

  #parseString(rest: string): string {
    const end = STRING_END.exec(rest);
    if (end === null) return rest.endsWith(ESCAPE) ? ESCAPE : '';
    this.#mode = 'keys';
    return rest.slice(end.index + end[0].length);
  }

  #skip(rest: string): string {
    const skipped = Math.min(this.#toSkip, rest.length);
    this.#toSkip -= skipped;
    return rest.slice(skipped);
  }

  #parseEscape(rest: string, inputs: KeyInput[]): string {
    const body = rest.slice(1, MAX_CSI_UNITS);
    if (body === '') return rest;
    if (STRING_INTRODUCER.test(body)) {
      this.#mode = 'string';
      return rest.slice(2);
    }
    if (body.startsWith('O')) return parseShort(rest, 2, SS3_KEYS, inputs);
    if (body.startsWith('[[')) return parseShort(rest, 3, CONSOLE_KEYS, inputs);
    if (body.startsWith('[')) return this.#parseControlSequence(rest, body, inputs);
    // Alt keys are not used: an escape before any other character is the Escape key.
    inputs.push({ kind: 'key', key: 'escape' });
    return rest.slice(1);
  }

  #parseControlSequence(rest: string, body: string, inputs: KeyInput[]): string {
    const sequence = CSI.exec(body);
    if (sequence !== null) {
      this.#applyControlSequence(sequence[1] ?? '', sequence[2] ?? '', inputs);
      return rest.slice(1 + sequence[0].length);
    }
    if (UNFINISHED_CSI.test(body) && body.length < MAX_CSI_UNITS - 1) return rest;
    return rest.slice(2);
  }

  #applyControlSequence(parameters: string, final: string, inputs: KeyInput[]): void {
    const mouse = this.#isMouseOn() ? parseMouseReport(parameters, final) : undefined;
    if (mouse !== undefined) inputs.push(mouse);
    if (final === X10_MOUSE) {
      if (parameters === '') this.#toSkip = X10_MOUSE_UNITS;
      return;
    }
    const first = parameters.split(';')[0] ?? '';
    if (final === '~' && first === PASTE_START) this.#mode = 'paste';
    else if (final === '~') pushKey(inputs, TILDE_KEYS[first]);
    else if (!/^[<=>?]/.test(parameters)) pushKey(inputs, LETTER_KEYS[final]);
  }
}

function parseCharacter(rest: string, inputs: KeyInput[]): string {
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  const key = CONTROL_KEYS[character];
  if (key !== undefined) inputs.push({ kind: 'key', key });
  else if (!/[\p{Cc}\p{Cs}]/u.test(character)) inputs.push({ kind: 'character', character });
  return rest.slice(character.length);
}

/** Parses a sequence of an introducer of `length` units and one character that names the key. */
function parseShort(
  rest: string,
  length: number,
  keys: Readonly<Record<string, NamedKey>>,
  inputs: KeyInput[],
): string {
  if (rest.length === length) return rest;
  pushKey(inputs, keys[rest.charAt(length)]);
  return rest.slice(length + 1);
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
