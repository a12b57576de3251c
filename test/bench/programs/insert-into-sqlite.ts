import { createHash } from 'node:crypto';
import { freshLines } from '../peers/fresh-bodies.js';

/** The part of `node:sqlite` of Node 22 that is used here. */
interface Sqlite {
  DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { run(...values: readonly (string | null)[]): unknown };
    close(): void;
  };
}

/**
 * Inserts NDJSON into a database that is as durable as the collector, a transaction for each body: `insert-into-sqlite <file> <seconds>
 * <events per body>`. Prints JSON: events per second, and CPU seconds per 100,000 events.
 */
const [path = '', seconds, perBody] = process.argv.slice(2);
const bodies = freshLines(Number(perBody));
// Node 22 warns that the module is experimental.
process.removeAllListeners('warning');
// A name in a variable, because the types are those of Node 20.
const name = 'node:sqlite';
const { DatabaseSync }: Sqlite = await import(name);
const database = new DatabaseSync(path);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE events (app, service, env, level, error_name, message, timestamp, issue, payload);
  CREATE INDEX by_issue ON events (issue, timestamp);
`);
const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
const before = process.cpuUsage();
const began = performance.now();
let events = 0;
while (performance.now() - began < Number(seconds) * 1000) {
  database.exec('BEGIN');
  for (const line of bodies.next().toString('utf8').split('\n')) {
    if (line === '') continue;
    const { app, service, env, level, error_name, message, timestamp, stack } = JSON.parse(line);
    // Stands for a fingerprint: the type and the frames without their positions.
    const frames = stack.slice(stack.indexOf('\n')).replaceAll(/:\d+/g, '');
    const issue = createHash('sha256').update(error_name).update(frames).digest('hex');
    insert.run(app, service, env, level, error_name, message, timestamp, issue, line);
  }
  database.exec('COMMIT');
  events += bodies.records;
}
const perSecond = (events * 1000) / (performance.now() - began);
const { user, system } = process.cpuUsage(before);
database.close();
process.stdout.write(`${JSON.stringify({ perSecond, cpuSeconds: ((user + system) / 1e6 / events) * 100_000 })}\n`);
