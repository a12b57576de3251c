/** Base64 characters that terminals take: xterm and its kin stop at 100,000 bytes of sequence, others at about 75,000. */
export const MAX_OSC52_BASE64 = 74_994;

/** Bytes of one of GNU screen's device control strings, which it cuts at 768. */
const SCREEN_CHUNK = 512;

/** Terminals that would show the sequence, or have no clipboard behind it. */
const WITHOUT_CLIPBOARD: ReadonlySet<string> = new Set(['', 'dumb', 'linux']);

/** What to write, or why nothing can be written. */
export type Osc52 =
  | { readonly kind: 'sequence'; readonly text: string }
  | { readonly kind: 'none'; readonly why: string };

/**
 * The escape sequence that puts a text on the clipboard of the terminal a person looks at, also over SSH. Inside tmux it is written twice, plain (`set-clipboard on`) and
 * passed through (`allow-passthrough on`), because each may be switched off; inside GNU screen in pieces. No terminal answers it.
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

/** Whether a variable of the environment says something. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
