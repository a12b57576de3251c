import { readFile } from 'node:fs/promises';

it('docs/http-api.md lists every error code with its own HTTP status', async () => {
  const table = await readFile('collector/http/messages/http-fault.ts', 'utf8');
  const rows = Array.from(table.matchAll(/^ {2}\d{3}: [`']([A-Z_\s]+)[`'],$/gm), ([, codes = '']) => codes);
  const codes = rows.flatMap((row) => row.trim().split(/\s+/));
  const page = await readFile('docs/http-api.md', 'utf8');
  expect(codes.length).toBeGreaterThan(40);
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
