/** Limit of Base64 characters: xterm accepts sequences of 100,000 bytes, other terminals about 75,000. */
export const MAX_OSC52_BASE64 = 74_994;

/** Bytes of a device control string, which GNU screen cuts at 768. */
const SCREEN_CHUNK = 512;

/** Values of TERM whose terminals show the sequence or have no clipboard. */
const WITHOUT_CLIPBOARD: ReadonlySet<string> = new Set(['', 'dumb', 'linux']);

export type Osc52 =
  | { readonly kind: 'sequence'; readonly text: string }
  | { readonly kind: 'none'; readonly why: string };

/**
 * The escape sequence that copies a text to the clipboard of the user's terminal, also over SSH; terminals do not confirm it. For tmux it is
 * sent plain (`set-clipboard on`) and passed through (`allow-passthrough on`), because either can be off; for GNU screen in pieces.
 */
export function osc52(text: string, env: NodeJS.ProcessEnv): Osc52 {
  if (WITHOUT_CLIPBOARD.has(env['TERM'] ?? '')) {
    return { kind: 'none', why: 'this terminal has no clipboard' };
  }
  const bytes = Buffer.byteLength(text);
  if (Math.ceil(bytes / 3) * 4 > MAX_OSC52_BASE64) {
    return { kind: 'none', why: 'it is too long for the clipboard of a terminal' };
  }
  return { kind: 'sequence', text: wrapped(Buffer.from(text).toString('base64'), env) };
}

function wrapped(base64: string, env: NodeJS.ProcessEnv): string {
  const plain = `\u001b]52;c;${base64}\u0007`;
  if (isSet(env['TMUX'])) return `${plain}\u001bPtmux;\u001b${plain}\u001b\\`;
  if (!isSet(env['STY'])) return plain;
  let pieces = '';
  for (let start = 0; start < plain.length; start += SCREEN_CHUNK) {
    pieces += `\u001bP${plain.slice(start, start + SCREEN_CHUNK)}\u001b\\`;
  }
  return pieces;
}

export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
