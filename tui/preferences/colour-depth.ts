import { allowsColour } from '../theme.js';
import type { ColourDepth } from './look.js';

/** Terminals that show no colours, by `TERM`. */
const COLOURLESS = /^(?:dumb|unknown|vt\d+.*|.*-mono|.*-m)$/;

/**
 * How many colours a terminal shows; none where there is no terminal. With `auto`, the default, the environment says it, and `NO_COLOR` wins; what a
 * person chose in a file overrules that (https://no-color.org).
 */
export function colourDepth(
  env: NodeJS.ProcessEnv,
  isTTY: boolean,
  chosen: 'auto' | ColourDepth = 'auto',
): ColourDepth {
  if (!isTTY) return 0;
  if (chosen !== 'auto') return chosen;
  if (!allowsColour(env)) return 0;
  const term = (env['TERM'] ?? '').slice(0, 100);
  if (/^(?:truecolor|24bit)$/i.test(env['COLORTERM'] ?? '') || /256color|-direct/.test(term)) return 256;
  return COLOURLESS.test(term) ? 0 : 16;
}
