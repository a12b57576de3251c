import { readFile } from 'node:fs/promises';
import { DEFAULT_KEYMAP, type KeyBinding, keyLabel } from '../../tui/terminal/keymap.js';

/** The row of docs/terminal.md for a key binding. */
function rowOf({ command, keys, help, on }: KeyBinding): string {
  const labels = keys.map((key) => `\`${keyLabel(key).replaceAll('|', '\\|')}\``).join(' ');
  return `| ${labels} | \`${command}\` | ${help} | ${on?.join(', ') ?? 'everywhere'} |`;
}

it('docs/terminal.md lists every key binding in the order of the keymap', async () => {
  const page = await readFile('docs/terminal.md', 'utf8');
  const [, section = ''] = page.split('\n## Keys\n');
  const rows =
    section
      .split('\n## ', 1)[0]
      ?.split('\n')
      .filter((line) => /^\| (?:`|\|| )/.test(line)) ?? [];
  expect(rows.filter((row) => row.includes('` |'))).toEqual(DEFAULT_KEYMAP.map(rowOf));
});
