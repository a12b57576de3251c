import { readFile } from 'node:fs/promises';
import { glob } from 'tinyglobby';

/** A fenced block of a page. */
export interface MarkdownBlock {
  readonly page: string;
  /** Line of its opening fence, from 1. */
  readonly line: number;
  /** The words behind the opening fence, for example `sh run`. */
  readonly info: string;
  readonly text: string;
}

/** Every page of the project, by its path from the root. */
export async function markdownPages(): Promise<string[]> {
  const pages = await glob(['*.md', '{docs,config,core,collector,tui,test}/**/*.md'], {
    ignore: ['**/node_modules/**'],
  });
  return pages.sort();
}

/** The pages for users: README.md and those directly in docs/. */
export async function userPages(): Promise<string[]> {
  return (await markdownPages()).filter((page) => page === 'README.md' || /^docs\/[\w-]+\.md$/.test(page));
}

/** The fenced blocks of a page, in their order. */
export async function blocksOf(page: string): Promise<MarkdownBlock[]> {
  const blocks: MarkdownBlock[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of (await readFile(page, 'utf8')).split('\n').entries()) {
    const info = /^```(.*)$/.exec(line)?.[1];
    if (info === undefined) open?.lines.push(line);
    else if (open === undefined) open = { line: index + 1, info, lines: [] };
    else {
      blocks.push({ page, line: open.line, info: open.info, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** The first fenced block under a heading of the third level; throws when there is none. */
export async function blockUnder(page: string, heading: string): Promise<string> {
  const lines = (await readFile(page, 'utf8')).split('\n');
  const start = lines.indexOf(`### ${heading}`);
  const found = start === -1 ? undefined : (await blocksOf(page)).find(({ line }) => line > start);
  if (found === undefined) throw new Error(`${page} has no block under "${heading}"`);
  return found.text;
}
