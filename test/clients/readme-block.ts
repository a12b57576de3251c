import { readFileSync } from 'node:fs';

const README = readFileSync(new URL('../../collector/README.md', import.meta.url), 'utf8');

/** The first fenced block under a heading of collector/README.md; throws when there is none. */
export function readmeBlock(heading: string): string {
  const [, section] = README.split(`\n### ${heading}\n`);
  const block = section?.split('\n### ', 1)[0]?.split(/^```.*\n/m)[1];
  if (block === undefined) throw new Error(`collector/README.md has no block under "${heading}"`);
  return block;
}
