import { readFile } from 'node:fs/promises';
import { glob } from 'tinyglobby';

/** A fenced code block of a page. */
export interface MarkdownBlock {
  readonly page: string;
  /** Line number of the opening fence, from 1. */
  readonly line: number;
  /** The info string after the opening fence, for example `sh run`. */
  readonly info: string;
  readonly text: string;
}

/** Returns the paths of all pages, relative to the root. */
export async function markdownPages(): Promise<string[]> {
  const pages = await glob(['*.md', '{docs,config,core,collector,tui,test}/**/*.md'], {
    ignore: ['**/node_modules/**'],
  });
  return pages.sort();
}

/** Returns the pages for users: README.md and the pages directly in docs/. */
export async function userPages(): Promise<string[]> {
  return (await markdownPages()).filter((page) => page === 'README.md' || /^docs\/[\w-]+\.md$/.test(page));
}

/** Returns the fenced blocks of a page in order. */
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

/** Returns the first fenced block under a third-level heading; throws if it is missing. */
export async function blockUnder(page: string, heading: string): Promise<string> {
  const lines = (await readFile(page, 'utf8')).split('\n');
  const start = lines.indexOf(`### ${heading}`);
  const found = start === -1 ? undefined : (await blocksOf(page)).find(({ line }) => line > start);
  if (found === undefined) throw new Error(`${page} has no block under "${heading}"`);
  return found.text;
}
