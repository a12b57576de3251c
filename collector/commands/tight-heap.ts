import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Garbage allowed between two major collections. */
const GARBAGE_BYTES = 48 * 1024 * 1024;
const MAX_GROWTH_PERCENT = 200;
/** Until the first major collection, at 10 MB: the index that is loaded then stays, so collecting during the load is wasted. */
const INITIAL_GROWTH_PERCENT = 1_000;
const SAMPLE_INTERVAL_MS = 1_000;
const SAMPLES = 3;

/** Both semi-spaces of the young generation together: half of what V8 allows. */
const YOUNG_BYTES = 16 * 1024 * 1024;
const YOUNG_SAMPLE_INTERVAL_MS = 20;

/** Limits the garbage between two major collections to about 48 MiB: events are short-lived, and the memory belongs to the services beside it. */
export function keepHeapTight(): void {
  const usedBytes: number[] = [];
  let percent = INITIAL_GROWTH_PERCENT;
  setGrowthPercent(percent);
  const adjust = (): void => {
    usedBytes.push(getHeapStatistics().used_heap_size);
    if (usedBytes.length > SAMPLES) usedBytes.shift();
    const wanted = Math.min(MAX_GROWTH_PERCENT, Math.ceil((100 * GARBAGE_BYTES) / Math.min(...usedBytes)));
    if (Math.abs(wanted - percent) * 10 < percent) return;
    percent = wanted;
    setGrowthPercent(percent);
  };
  const firstMajor = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isMajorCollection)) return;
    firstMajor.disconnect();
    adjust();
  });
  firstMajor.observe({ entryTypes: ['gc'] });
  // The young generation is small: handing it to helper threads takes more CPU time than collecting it.
  setFlagsFromString('--no-parallel-scavenge');
  // Helper threads that mark take the core from the event loop where the service beside it needs the other one.
  setFlagsFromString('--no-concurrent-marking');
  setInterval(adjust, SAMPLE_INTERVAL_MS).unref();
  limitYoungSpace();
}

function setGrowthPercent(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function isMajorCollection(entry: object): boolean {
  const detail = 'detail' in entry ? entry.detail : undefined;
  const kind = typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Stops the growth of the young generation, in which events wait for the disk, early: V8 accepts the flag only while the space grows. */
function limitYoungSpace(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young !== undefined && young.space_size < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, YOUNG_SAMPLE_INTERVAL_MS).unref();
}
