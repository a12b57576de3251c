// Measures the longest block of a collector's event loop under each load: `node test/system/blocks/run.js [--only NAME]… [--scale S] [--profile]`, after
// `npm run build`. `--profile` prints what ran in each block of over 50 ms. Exits with 1 if a load has one.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCollector, createRandom, pause } from '../chaos/collector.js';
import { LOADS } from './loads.js';

const LONG_MS = 50;
const BUNDLE = fileURLToPath(new URL('../../../dist/bundle', import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    scale: { type: 'string', default: '1' },
    profile: { type: 'boolean', default: false },
  },
});
const chosen = Object.keys(LOADS).filter((name) => values.only.length === 0 || values.only.includes(name));
const say = (line) => process.stdout.write(`${line}\n`);
const maps = new Map();

/** Returns the source of a position in a built file, if its map is there. */
function sourceOf([name, file, line, column]) {
  const path = `${BUNDLE}/${file}.map`;
  if (!maps.has(file))
    maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined);
  const { originalSource, originalLine } = maps.get(file)?.findEntry(line, column) ?? {};
  const where =
    originalSource === undefined
      ? `${file}:${line + 1}`
      : `${originalSource.replaceAll('../', '')}:${originalLine + 1}`;
  return `${name || '(anonymous)'} ${where}`;
}

function printStacks({ block_ms: blockMs, cpu_ms: cpuMs, stacks = [] }) {
  say(`     block of ${blockMs} ms, ${cpuMs} ms of CPU`);
  for (const { count, frames } of stacks) {
    say(`       ${count} samples`);
    for (const frame of frames) say(`         ${sourceOf(frame)}`);
  }
}

async function measure(name) {
  const collector = await createCollector();
  const options = values.profile ? { env: { BLOCKS_PROFILE_MS: String(LONG_MS) } } : {};
  try {
    const context = { collector, options, random: createRandom(1), scale: Number(values.scale), beganAt: 0 };
    // A load may begin later, after what it needs was stored.
    context.begin = () => (context.beganAt = Date.now());
    const { prepare, run } = LOADS[name];
    await prepare?.(context);
    if (collector.child === undefined && !name.includes('then a start')) await collector.start(options);
    await pause(500);
    context.begin();
    const what = await run(context);
    await pause(200);
    const blocks = collector.blocks().filter(({ at }) => at >= context.beganAt);
    return { what, seconds: (Date.now() - context.beganAt) / 1000, blocks };
  } finally {
    collector.child?.kill('SIGKILL');
    await collector.child?.ended;
    collector.remove();
  }
}

let isLong = false;
for (const name of chosen) {
  const { what, seconds, blocks } = await measure(name);
  const [longest = { block_ms: 0, cpu_ms: 0 }] = blocks.toSorted((one, other) => other.block_ms - one.block_ms);
  const long = blocks.filter((block) => block.block_ms > LONG_MS);
  isLong ||= long.length > 0;
  const text = `${longest.block_ms} ms longest block (${longest.cpu_ms} ms of CPU)`;
  say(`${text}, ${long.length} over ${LONG_MS} ms, in ${seconds.toFixed(1)} s: ${name}, ${what}`);
  for (const block of long.slice(0, 3)) if (values.profile) printStacks(block);
}
process.exitCode = isLong ? 1 : 0;
