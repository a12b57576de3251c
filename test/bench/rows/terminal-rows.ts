import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CollectorProcess, startCollectorProcess } from '../collector-process.js';
import { fillStore } from '../filled-store.js';
import { median, percentile, type Row, row } from '../row.js';
import { LIST, type TerminalProcess, WINDOW } from '../terminal-process.js';
import { startBareInk, startBrowse } from '../terminal-programs.js';
import { countWronglyPainted } from '../torn-captures.js';
import { liveRows } from './terminal-live-rows.js';

const EVENTS = 200_000;
const ISSUES = 100_000;
const STARTS = 5;
const IDLE_MS = 8000;
const MOVES = 30;
const REPAINTS = 60;
const BESIDE_START_MS = 200;
const CLOCK_TICKS = 100;
/** After the last key, before the filter is sent. */
const DEBOUNCE_MS = 120;
const FILTERS = ['UpstreamError', 'PanicError', 'order of', 'checkout'];
const FIRST_LIST_ROW = 4;
const ANSWER_MS = 1000;

/** `faultline browse` in a pseudo-terminal of 120x40 over many issues; peer: a bare Ink program. */
export async function* terminalRows(folder: string, isLong: boolean): AsyncGenerator<Row[]> {
  const store = await fillStore(join(folder, 'terminal'), { events: EVENTS, issues: ISSUES });
  const collector = await startCollectorProcess(store.directory);
  yield await startRows(collector);
  yield await quietRows(collector);
  yield await filterRows(collector);
  yield await liveRows(collector, store, join(folder, 'terminal-heap'), isLong);
  await collector.stop();
}

async function startRows(collector: CollectorProcess): Promise<Row[]> {
  const node: number[] = [];
  const bare: number[] = [];
  const ours: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    node.push(performance.now() - began);
    bare.push(await measureStartMs(startBareInk(1)));
    ours.push(await measureStartMs(startBrowse(collector)));
  }
  const [empty, first, list] = [median(node), median(bare), median(ours)];
  const size = `${ISSUES.toLocaleString('en')} issues`;
  return [
    row(
      `start of the terminal to the first list, ms; ${size}`,
      list,
      'bare Ink program, start to first frame, ms',
      first,
      'lower',
      {
        of: 'figure',
        value: Math.round(first) + BESIDE_START_MS,
      },
    ),
    row(
      `the same beyond an empty Node program, ms; ${size}`,
      list - empty,
      'bare Ink program beyond it, ms',
      first - empty,
      'lower',
      {
        of: 'ratio',
        value: 1,
      },
    ),
  ];
}

/** Returns the milliseconds from spawn to the first list, and kills the program. */
async function measureStartMs(terminal: TerminalProcess): Promise<number> {
  const ms = await terminal.shows(LIST);
  await terminal.end();
  return ms;
}

/** Returns the CPU time of a process in seconds. */
function cpuSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
}

/** Without traffic: CPU time of an idle screen, and bytes to the terminal for a key. */
async function quietRows(collector: CollectorProcess): Promise<Row[]> {
  const terminal = startBrowse(collector);
  await terminal.shows(LIST);
  await delay(2000);
  const pids = [terminal.pid, collector.child.pid];
  const before = pids.map(cpuSeconds);
  await delay(IDLE_MS);
  const [idle = Number.NaN, collectorCpu = Number.NaN] = pids.map(
    (pid, index) => ((cpuSeconds(pid) - (before[index] ?? 0)) / (IDLE_MS / 1000)) * 100,
  );
  const whole = await bytesFor(terminal, '\u000c');
  const moving: number[] = [];
  for (let move = 0; move < MOVES; move += 1) moving.push(await bytesFor(terminal, move % 20 < 10 ? 'j' : 'k'));
  for (let down = 0; down < WINDOW.rows; down += 1) await bytesFor(terminal, 'j');
  const scrolling: number[] = [];
  for (let move = 0; move < MOVES; move += 1) scrolling.push(await bytesFor(terminal, 'j'));
  const wrong = await countWronglyPainted(terminal, REPAINTS);
  await terminal.end();
  const beside = 'the whole screen painted, bytes';
  return [
    row(
      'CPU of an idle list that is read again every second, % of a core',
      idle,
      'the collector that it asks, %',
      collectorCpu,
      'lower',
      {
        of: 'figure',
        value: 2,
      },
    ),
    row(
      'bytes to the terminal when the selection moves, p95; 120x40',
      percentile(moving, 0.95),
      beside,
      whole,
      'lower',
      {
        of: 'figure',
        value: 1000,
      },
    ),
    row(
      'bytes to the terminal when a list scrolls by a line, p95; 120x40',
      percentile(scrolling, 0.95),
      beside,
      whole,
      'lower',
      {
        of: 'figure',
        value: 5000,
      },
    ),
    row(
      'screens after random keys that differ from the same painted whole',
      wrong,
      'screens compared',
      REPAINTS,
      'lower',
      {
        of: 'figure',
        value: 0,
      },
    ),
  ];
}

/** The filter while it is typed: from each key to the last frame that changes the list. */
async function filterRows(collector: CollectorProcess): Promise<Row[]> {
  const terminal = startBrowse(collector);
  await terminal.shows(LIST);
  const latencies: number[] = [];
  for (const text of FILTERS) {
    await bytesFor(terminal, '/');
    for (const key of text) latencies.push(...(await listChangeMs(terminal, key)));
    terminal.type('\u001b');
    await delay(ANSWER_MS);
  }
  await terminal.end();
  return [
    row(
      `filter key to the new list, p95 ms beyond the pause of ${DEBOUNCE_MS} ms; ${ISSUES.toLocaleString('en')} issues`,
      percentile(latencies, 0.95) - DEBOUNCE_MS,
      'keys that changed the list',
      latencies.length,
      'lower',
      { of: 'figure', value: 80 },
    ),
  ];
}

/** Milliseconds from a key to the last change of the list within a second; empty if nothing changed. */
async function listChangeMs(terminal: TerminalProcess, key: string): Promise<number[]> {
  const listed = (): string => terminal.rows().slice(FIRST_LIST_ROW, -1).join('\n');
  let shown = listed();
  let changedAtMs: number | undefined;
  const stop = terminal.onFrame(({ atMs }) => {
    const now = listed();
    if (now !== shown) changedAtMs = atMs;
    shown = now;
  });
  const typedAtMs = performance.now();
  terminal.type(key);
  await delay(ANSWER_MS);
  stop();
  return changedAtMs === undefined ? [] : [changedAtMs - typedAtMs];
}

/** Returns the bytes of the next frame after a key. */
async function bytesFor(terminal: TerminalProcess, key: string): Promise<number> {
  const frame = new Promise<number>((resolve) => {
    const stop = terminal.onFrame(({ bytes }) => {
      stop();
      resolve(bytes);
    });
  });
  terminal.type(key);
  return await frame;
}
