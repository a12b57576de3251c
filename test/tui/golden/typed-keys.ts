/** Keys as a terminal sends them. */
export const ENTER = '\r';
export const ESCAPE = '\u001b';
export const TAB = '\t';
export const CTRL_N = '\u000e';
/** Ctrl-U: takes away what was typed. */
export const CLEAR = '\u0015';
