/** Keys as a terminal sends them. */
export const ENTER = '\r';
export const ESCAPE = '\u001b';
export const TAB = '\t';
export const CTRL_N = '\u000e';
/** Ctrl-U: clears the input. */
export const CLEAR = '\u0015';
