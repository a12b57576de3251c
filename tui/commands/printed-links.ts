import type { EventDetail } from '../../generated/reader-answers.js';
import { createSourceLinks, hasHyperlinks, type LinkOf, readReleaseCommit } from '../effects/source-links.js';
import { stackView } from '../format/event/stack-view.js';
import { loadPreferences } from '../preferences/preferences.js';
import { createTheme } from '../terminal/theme.js';
import { span } from '../text/line.js';
import { neutralise } from '../text/visible.js';
import type { PrintingOptions } from './printing-command.js';

/** The links of printed places of a release; undefined in a pipe, in a terminal without hyperlinks, and without `links` in valid preferences. */
export async function printedLinks(
  { env, stdout, reader }: Pick<PrintingOptions, 'env' | 'stdout' | 'reader'>,
  release: string | null,
): Promise<LinkOf | undefined> {
  if (stdout.isTTY !== true || !hasHyperlinks(env)) return undefined;
  // `browse` reports what is wrong with them.
  const loaded = await loadPreferences(env).catch(() => undefined);
  const { editor, source } = loaded?.preferences.links ?? {};
  const isNeeded = release !== null && source?.includes('{commit}') === true;
  const commit = isNeeded ? await readReleaseCommit(reader, release) : undefined;
  return createSourceLinks({ editor, source, root: process.cwd(), commitOf: () => commit });
}

const MAX_PLACES = 200;

/** Links the places of an event's stack, written as `path:line:column`, in its detail view. */
export function withLinks(text: string, { normalized }: EventDetail, linkOf: LinkOf): string {
  const { stack, release } = normalized;
  const theme = createTheme({ hasColours: false, linkOf });
  const links = new Map<string, string>();
  const frames = stackView(stack ?? '').errors.flatMap(({ frames }) => frames);
  for (const { location, frame } of frames.slice(0, MAX_PLACES)) {
    if (location === undefined) continue;
    const { column } = frame;
    const label = [location.path, location.line, ...(column === null ? [] : [column])].join(':');
    // As the JSON of the view has it.
    const shown = neutralise(JSON.stringify(label).slice(1, -1));
    links.set(shown, theme.paint([{ ...span(shown), place: { ...location, column, release } }]));
  }
  if (links.size === 0) return text;
  const longestFirst = [...links.keys()].sort((one, other) => other.length - one.length);
  const labels = longestFirst.map((label) => label.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|');
  return text.replace(new RegExp(`(?:${labels})(?![\\d:])`, 'g'), (label) => links.get(label) ?? label);
}
