/** Keys of a path that are shown; of a deeper one, the innermost. */
export const MAX_SHOWN_PATH = 32;
/** UTF-16 units of a key that are shown. */
const MAX_KEY = 200;
const PLAIN_KEY = /^[^\s".[\]]+$/u;

/** A path for people, `extra.cart.lines[2]`, `tags."a key"`; what is deep begins with `…`. May hold text from outside. */
export function pathLabel(path: readonly (string | number)[]): string {
  const shown = path.slice(-MAX_SHOWN_PATH);
  const label = shown
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      const start = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : key;
      return `.${PLAIN_KEY.test(start) ? start : JSON.stringify(start)}`;
    })
    .join('');
  const whole = label.startsWith('.') ? label.slice(1) : label;
  return shown.length < path.length ? `…${whole}` : whole;
}
