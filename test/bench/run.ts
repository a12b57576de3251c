import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollectorProcess } from './collector-process.js';
import { fillStore } from './filled-store.js';
import { type BenchOptions, hasAllGroups, parseOptions } from './options.js';
import { startPeerProcess } from './peer-process.js';
import { publish, publishHeadlines } from './publish.js';
import { median, type Row } from './row.js';
import { fingerprintRows } from './rows/fingerprint-rows.js';
import { fleetRows } from './rows/fleet-rows.js';
import { groupingRows } from './rows/grouping-rows.js';
import { longRow } from './rows/long-row.js';
import { peerRows } from './rows/peer-rows.js';
import { pipelineRows } from './rows/pipeline-rows.js';
import { readRows } from './rows/read-rows.js';
import { ripgrepRows } from './rows/ripgrep-rows.js';
import { loadRows, rebuildRow, startRows } from './rows/scale-rows.js';
import { searchRows } from './rows/search-rows.js';
import { terminalRows } from './rows/terminal-rows.js';
import { printTable } from './table.js';

/** Returns the milliseconds that an empty Node program runs. */
function nodeStartMs(): number {
  return median(
    Array.from({ length: 7 }, () => {
      const began = performance.now();
      spawnSync(process.execPath, ['-e', '0']);
      return performance.now() - began;
    }),
  );
}

async function* filledStoreRows({ groups, isLong }: BenchOptions, folder: string): AsyncGenerator<Row[]> {
  const store = await fillStore(join(folder, 'filled'));
  if (groups.has('peers')) yield await ripgrepRows(store);
  if (groups.has('read')) {
    const peer = await startPeerProcess();
    const collector = await startCollectorProcess(store.directory);
    yield await readRows(store, collector, peer);
    await collector.stop();
    await peer.stop();
    yield await searchRows(store);
  }
  if (groups.has('scale')) {
    const options = { store, folder, nodeStartMs: nodeStartMs() };
    yield await loadRows(options);
    yield await startRows(options);
    if (isLong) yield [await longRow(store)];
    yield [await rebuildRow(options)];
  }
}

async function* measure(options: BenchOptions, folder: string): AsyncGenerator<Row[]> {
  if (options.groups.has('group')) {
    yield groupingRows();
    yield await fingerprintRows();
  }
  if (options.groups.has('peers')) yield* peerRows(folder);
  if ((['peers', 'read', 'scale'] as const).some((group) => options.groups.has(group)))
    yield* filledStoreRows(options, folder);
  if (options.groups.has('terminal')) yield* terminalRows(folder, options.isLong);
  if (options.groups.has('pipeline')) yield* pipelineRows(folder, options.isLong);
  if (options.groups.has('fleet')) yield* fleetRows(folder);
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'));
  const rows: Row[] = [];
  try {
    for await (const measured of measure(options, folder)) {
      rows.push(...measured);
      for (const { name, ours, ratio, met } of measured) process.stderr.write(`${name}: ${ours} (${ratio}) ${met}\n`);
    }
  } catch (error) {
    // Printed first, because the cleanup may fail too.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    throw error;
  } finally {
    // After an error a collector may still write there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  process.stdout.write(printTable(rows));
  if (options.groups.has('peers')) publishHeadlines(rows);
  if (hasAllGroups(options)) publish(rows);
}

await main();
