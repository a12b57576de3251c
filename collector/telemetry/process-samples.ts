import { getHeapStatistics } from 'node:v8';
import { availableBytes } from './available-memory.js';
import type { EventLoopDelay } from './event-loop-delay.js';
import type { OtherSamples } from './exposition.js';
import type { Sample } from './meters.js';

/** What the process says of itself, as metrics. */
export function processSamples(eventLoop: Pick<EventLoopDelay, 'look'>): OtherSamples {
  return {
    faultline_process_uptime_seconds: () => one(process.uptime()),
    faultline_process_cpu_seconds: () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1e6);
    },
    faultline_process_memory_rss_bytes: () => one(process.memoryUsage.rss()),
    faultline_process_memory_limit_bytes: () => one(availableBytes()),
    faultline_process_runtime_heap_alloc_bytes: () => one(getHeapStatistics().used_heap_size),
    faultline_process_runtime_heap_limit_bytes: () => one(getHeapStatistics().heap_size_limit),
    faultline_process_event_loop_delay_seconds: () =>
      eventLoop.look().map(({ quantile, seconds }) => ({ labels: { quantile: String(quantile) }, value: seconds })),
  };
}

function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}
