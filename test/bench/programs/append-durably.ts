import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { freshLines } from '../peers/fresh-bodies.js';

/**
 * Appends NDJSON to a file, a write and a sync for each body: `append-durably <file> <seconds> <events per body>`. Prints JSON: events
 * per second.
 */
const [path = '', seconds, perBody] = process.argv.slice(2);
const bodies = freshLines(Number(perBody));
const file = openSync(path, 'a');
const began = performance.now();
let events = 0;
while (performance.now() - began < Number(seconds) * 1000) {
  writeSync(file, bodies.next());
  fdatasyncSync(file);
  events += bodies.records;
}
const perSecond = (events * 1000) / (performance.now() - began);
closeSync(file);
process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
