import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { percentile } from '../row.js';

/** Searches a data folder for missing texts: `search-text <folder>`. Prints JSON: the median milliseconds of a search. */
const [directory = ''] = process.argv.slice(2);
const reader = await openFolderReader({ directory });
await reader.stats();
const all: number[] = [];
for (const query of ['message:~"no such phrase 1"', '"no such phrase 2"', 'stack:~unheardofphrase']) {
  const began = performance.now();
  let page = await reader.searchEvents({ query });
  while (page.next_cursor !== null) page = await reader.searchEvents({ query, cursor: page.next_cursor });
  if (page.events.length > 0) throw new Error(`${query} was found`);
  all.push(performance.now() - began);
}
await reader.close();
process.stdout.write(`${JSON.stringify({ ms: percentile(all, 0.5) })}\n`);
