import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';

/** The rows below the heading `Tests` of docs/architecture.md. */
async function promiseRows(): Promise<string[]> {
  const text = await readFile('docs/architecture.md', 'utf8');
  const section = text.split('\n## Tests\n')[1]?.split('\n## ')[0] ?? '';
  return section.split('\n').filter((line) => /^\| (?!promise|question)/.test(line));
}

it('every promise names tests that exist, or the page that names them', async () => {
  const rows = await promiseRows();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const tests = Array.from(row.matchAll(/`(test\/[\w./-]+)`/g), ([, path = '']) => path);
    const pages = Array.from(row.matchAll(/\]\(([^)#]+)/g), ([, target = '']) => normalize(join('docs', target)));
    const named = [...tests, ...pages];
    const missing = named.filter((path) => !existsSync(path));
    expect({ row, missing, isNamed: named.length > 0 }).toEqual({ row, missing: [], isNamed: true });
  }
});
