import { join } from 'node:path';
import { startPeerProcess } from '../peer-process.js';
import type { ClosedLoop } from '../peers/closed-loop.js';
import { freshEnvelopes, freshLines } from '../peers/fresh-bodies.js';
import { inTurns } from '../peers/in-turns.js';
import { type Cost, LOAD_SECONDS, measureLoad, measureOurs, type Subject } from '../peers/measure-load.js';
import { nodeWithSqlite, spotlightModule } from '../peers/peer-tools.js';
import { type Row, row } from '../row.js';
import { runProgram } from '../run-program.js';
import { costRows, ratioBar } from './cost-rows.js';

const EVENTS = 500;
const NDJSON_CONNECTIONS = 4;
const SINGLE_CONNECTIONS = 64;
const ENVELOPE_PATH = '/api/1/envelope/?sentry_version=7&sentry_key=0123456789abcdef0123456789abcdef';

/** Returns the cost that a program printed. */
async function runPeer(program: string, args: readonly string[], node?: string): Promise<Cost> {
  const printed = await runProgram(program, args, node);
  return {
    perSecond: Number(printed['perSecond']),
    cpuSeconds: Number(printed['cpuSeconds']),
    residentMb: Number.NaN,
  };
}

/** NDJSON beside SQLite and bare appends. */
export async function eventPeerRows(folder: string): Promise<Row[]> {
  const batches = freshLines(EVENTS);
  const singles = freshLines(1);
  const load = (url: string, bodies: typeof batches, connections: number): ClosedLoop => ({
    url: `${url}/v1/events`,
    contentType: 'application/x-ndjson',
    bodies,
    connections,
  });
  const append = (own: string, events: number) =>
    runPeer('append-durably', [join(own, 'appended'), `${LOAD_SECONDS}`, `${events}`]);
  const sqlite = nodeWithSqlite();
  const cost = await inTurns(folder, {
    batches: (own) => measureOurs(own, ({ ingestUrl }) => load(ingestUrl, batches, NDJSON_CONNECTIONS)),
    appendBatches: (own) => append(own, EVENTS),
    sqlite:
      sqlite === undefined
        ? undefined
        : (own) => runPeer('insert-into-sqlite', [join(own, 'events.db'), `${LOAD_SECONDS}`, `${EVENTS}`], sqlite),
    singles: (own) => measureOurs(own, ({ ingestUrl }) => load(ingestUrl, singles, SINGLE_CONNECTIONS)),
    appendSingles: (own) => append(own, 1),
  });
  return [
    ...(sqlite === undefined
      ? []
      : costRows(
          'NDJSON of 500 events',
          cost.batches,
          'SQLite in one process, WAL, FULL',
          cost.sqlite,
          ratioBar(0.65),
        )),
    row(
      'NDJSON of 500 events beside appends, per second',
      cost.batches.perSecond,
      'write + fdatasync of the same bytes',
      cost.appendBatches.perSecond,
      'higher',
      ratioBar(0.25),
    ),
    row(
      'single events over 64 connections, per second',
      cost.singles.perSecond,
      'write + fdatasync of one event after the other',
      cost.appendSingles.perSecond,
      'higher',
      ratioBar(0.5),
    ),
  ];
}

/** Sentry envelopes beside the sidecar of Spotlight. */
export async function envelopePeerRows(folder: string): Promise<Row[]> {
  const module = spotlightModule();
  if (module === undefined) return [];
  const bodies = freshEnvelopes();
  const load = (url: string): ClosedLoop => ({
    url: `${url}${ENVELOPE_PATH}`,
    contentType: 'envelope',
    bodies,
    connections: SINGLE_CONNECTIONS,
  });
  const startSpotlight = (): Promise<Subject> => startPeerProcess('spotlight-sidecar', undefined, [module]);
  const cost = await inTurns(folder, {
    ours: (own) => measureOurs(own, ({ ingestUrl }) => load(ingestUrl)),
    spotlight: () => measureLoad(startSpotlight, ({ url }) => load(url)),
    bare: () =>
      measureLoad(
        () => startPeerProcess('bare-http'),
        ({ url }) => load(url),
      ),
  });
  const beside = "Spotlight's sidecar, which stores nothing";
  return [
    ...costRows('Sentry envelopes', cost.ours, beside, cost.spotlight, null, ratioBar(9)),
    row(
      'Sentry envelopes beside a bare server, per second',
      cost.ours.perSecond,
      'node:http that parses and encodes each, and stores nothing',
      cost.bare.perSecond,
      'higher',
    ),
  ];
}
