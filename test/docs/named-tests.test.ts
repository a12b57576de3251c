import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { markdownPages } from './markdown-blocks.js';

/** Files and folders below test/ that a text names. */
function testsIn(text: string): string[] {
  return Array.from(text.matchAll(/(?<![\w/.-])test\/[\w./-]*\w\/?/g), ([path]) => path);
}

it('every test that a page names exists', async () => {
  // The changelog and the decisions tell what was.
  const pages = (await markdownPages()).filter((page) => !/^(?:CHANGELOG|docs\/decisions)/.test(page));
  for (const page of pages) {
    const missing = testsIn(await readFile(page, 'utf8')).filter((path) => !existsSync(path));
    expect([page, ...missing]).toEqual([page]);
  }
});

it('every promise in docs/architecture.md names its tests, or the page that does', async () => {
  const text = await readFile('docs/architecture.md', 'utf8');
  const section = text.split('\n## Tests\n')[1]?.split('\n## ')[0] ?? '';
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const links = Array.from(row.matchAll(/\]\(([^)#]+)/g), ([, target = '']) => normalize(join('docs', target)));
    const named = [...testsIn(row), ...links];
    const missing = named.filter((path) => !existsSync(path));
    expect({ row, missing, isNamed: named.length > 0 }).toEqual({ row, missing: [], isNamed: true });
  }
});
