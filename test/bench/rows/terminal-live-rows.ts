import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type CollectorProcess, end, killAtExit, residentMb } from '../collector-process.js';
import type { FilledStore } from '../filled-store.js';
import { percentile, type Row, row } from '../row.js';
import { programPath } from '../run-program.js';
import { slope } from '../slope.js';
import { type SteadyKeys, typeSteadily } from '../steady-keys.js';
import { LIST, type TerminalProcess, WINDOW } from '../terminal-process.js';
import { startBareInk, startBrowse } from '../terminal-programs.js';
import { countTorn, randomKeys } from '../torn-captures.js';

const EVENTS_PER_SECOND = 1000;
const KEYS_PER_SECOND = 30;
const KEY_SECONDS = 10;
const CAPTURES = 3000;
/** Live traffic that does not count, in which the heap grows to its size. */
const SETTLING_MS = 10_000;
const LIVE_MINUTES = 1;
const LONG_MINUTES = 60;
/** Growth of the live heap that counts as none. */
const FLAT_MB = 3;

/** The terminal under traffic: latency of keys at a steady rate, torn captures with random keys, and growth of the heap. */
export async function liveRows(
  collector: CollectorProcess,
  store: FilledStore,
  heapFile: string,
  isLong: boolean,
): Promise<Row[]> {
  const minutes = isLong ? LONG_MINUTES : LIVE_MINUTES;
  const traffic = startTraffic(collector, store.issues);
  writeFileSync(heapFile, '');
  process.env['FAULTLINE_BENCH_WATCH'] = heapFile;
  const watcher = pathToFileURL(programPath('watch-heap')).href;
  const terminal = startBrowse(collector, ['--expose-gc', '--import', watcher]);
  await terminal.shows(LIST);
  const began = performance.now();
  const peer = startBareInk(WINDOW.rows - 2);
  await peer.shows(LIST);
  const bare = await typeSteadily(peer, KEYS_PER_SECOND, KEY_SECONDS);
  await peer.end();
  // Below the top new issues do not move the selection on the screen.
  terminal.type('jjjjj');
  await delay(1500);
  const ours = await typeSteadily(terminal, KEYS_PER_SECOND, KEY_SECONDS);
  await delay(Math.max(0, began + SETTLING_MS - performance.now()));
  const heap = await sampleHeap(terminal, heapFile, minutes);
  const resident = residentMb(terminal.pid);
  const torn = await countTorn(terminal.written(), CAPTURES);
  await terminal.end();
  await end(traffic, 'SIGKILL');
  return [...keyRows(ours, bare, store.issues), ...soakRows(torn, heap, resident, minutes)];
}

function keyRows(ours: SteadyKeys, bare: SteadyKeys, issues: number): Row[] {
  const under = `${EVENTS_PER_SECOND.toLocaleString('en')} events/s, ${issues.toLocaleString('en')} issues`;
  const p95 = ({ latenciesMs }: SteadyKeys): number => percentile(latenciesMs, 0.95);
  return [
    row(
      `key to changed frame, p95 ms; ${under}`,
      p95(ours),
      'bare Ink program with as many rows, p95 ms',
      p95(bare),
      'lower',
      {
        of: 'figure',
        value: 50,
      },
    ),
    row(
      `frames/s under ${KEYS_PER_SECOND} keys/s; ${under}`,
      ours.framesPerSecond,
      'bare Ink program, frames/s',
      bare.framesPerSecond,
      'higher',
      {
        of: 'figure',
        value: 29,
      },
    ),
  ];
}

function soakRows(
  torn: number,
  heap: readonly (readonly [number, number])[],
  resident: number,
  minutes: number,
): Row[] {
  const growth = slope(heap) * minutes;
  return [
    row('torn captures under random keys and traffic', torn, 'captures', CAPTURES, 'lower', { of: 'figure', value: 0 }),
    row(
      `growth of what the terminal's heap holds over ${minutes} min of traffic and keys, MB`,
      growth,
      'its resident memory, MB',
      resident,
      'lower',
      { of: 'figure', value: FLAT_MB },
    ),
  ];
}

function startTraffic({ ingestUrl }: CollectorProcess, issues: number): ChildProcess {
  const args = [programPath('post-events'), `${ingestUrl}/v1/events`, `${EVENTS_PER_SECOND}`, `${issues}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  killAtExit(child);
  return child;
}

/** Types random keys; returns twenty measurements of the heap in MB by minute, each at the top of the list, where the heap is smallest. */
async function sampleHeap(terminal: TerminalProcess, heapFile: string, minutes: number): Promise<[number, number][]> {
  const readings = 20;
  const times: number[] = [];
  const began = performance.now();
  for (let reading = 0; reading < readings; reading += 1) {
    const until = began + ((reading + 1) / readings) * minutes * 60_000;
    while (performance.now() < until) {
      terminal.type(randomKeys(1));
      await delay(1000 / KEYS_PER_SECOND);
    }
    terminal.type('g');
    await delay(200);
    process.kill(terminal.pid, 'SIGUSR2');
    times.push((performance.now() - began) / 60_000);
  }
  await delay(500);
  const bytes = readFileSync(heapFile, 'utf8').trim().split('\n').map(Number);
  return times.map((minute, index) => [minute, (bytes[index] ?? Number.NaN) / 1e6]);
}
