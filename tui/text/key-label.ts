const LABELS: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  enter: 'Enter',
  escape: 'Esc',
  backspace: 'Backspace',
  delete: 'Del',
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  insert: 'Insert',
  ' ': 'Space',
};

/** The label of a key on the screen: `↓`, `Esc`, `Ctrl-D`, `F5`, `j`. */
export function keyLabel(key: string): string {
  const known = LABELS[key];
  if (known !== undefined) return known;
  const ctrl = /^ctrl-(.)$/.exec(key);
  if (ctrl !== null) return `Ctrl-${ctrl[1]?.toUpperCase()}`;
  return /^f\d+$/.test(key) ? key.toUpperCase() : key;
}
