import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEventStore } from '../../../core/storage/event-store.js';

/** Deletes the index of a data folder and opens the folder, which rebuilds it: `rebuild-index <folder>`. Prints JSON: milliseconds and events. */
const [directory = ''] = process.argv.slice(2);
rmSync(join(directory, 'index'), { recursive: true, force: true });
const began = performance.now();
const store = await openEventStore({ directory });
const ms = performance.now() - began;
const { events } = await store.reader.stats();
await store.close();
process.stdout.write(`${JSON.stringify({ ms, events })}\n`);
