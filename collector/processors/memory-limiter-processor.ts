import { parseDuration } from '../../config/values/duration.js';
import { Fault } from '../../core/event/fault.js';
import type { MemoryLimiterProcessorSettings } from '../../generated/settings.js';
import type { Component, ForwardingProcessor, ProcessorFactory, ProcessorInternal } from '../component/built-in.js';
import { availableBytes, memoryOfProcess, type ProcessMemory } from '../telemetry/available-memory.js';
import { collectGarbage as collectOfProcess } from '../telemetry/garbage-collection.js';
import { type Every, everyInterval } from './event-processor/every.js';
import { ItemCounters } from './event-processor/item-counters.js';
import { inMib, memoryLimitsOf } from './memory-limits.js';

/** The monitored process and its clock; tests replace them. */
interface LimitedProcess {
  readonly memory?: () => ProcessMemory;
  /** Available memory, bytes; default: of the control group or the machine. */
  readonly totalBytes?: number;
  /** Default: a full collection of this process, at most every 2 s. */
  readonly collectGarbage?: () => Promise<unknown>;
  readonly every?: Every;
}

/** Processor `memory_limiter`: refuses batches while the process uses too much memory. */
export const memoryLimiter: ProcessorFactory<MemoryLimiterProcessorSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createMemoryLimiter(id, settings, internal),
};

/** Creates processor `memory_limiter`: refuses batches with `MEMORY_LIMIT_EXCEEDED` (retryable) above the limits, and collects garbage. */
export function createMemoryLimiter(
  id: string,
  settings: MemoryLimiterProcessorSettings,
  { consumer, meters, states, logger }: Pick<ProcessorInternal, 'consumer' | 'meters' | 'states' | 'logger'>,
  limited: LimitedProcess = {},
): Component & ForwardingProcessor {
  const { memory = memoryOfProcess, totalBytes = availableBytes() } = limited;
  const { collectGarbage = collectOfProcess, every = everyInterval } = limited;
  const { hardBytes, softBytes } = memoryLimitsOf(settings, totalBytes);
  const items = new ItemCounters(meters, id);
  const accepted = meters.counter('faultline_processor_memory_limiter_accepted_log_records', { processor: id });
  const refused = meters.counter('faultline_processor_memory_limiter_refused_log_records', { processor: id });
  const { prepare } = consumer;
  let refusal: Fault | undefined;
  let isStopped = false;
  let stop = (): void => {};

  /**
   * Garbage, and freed memory that the allocator keeps, are no reason to refuse events: only what is used after a collection counts. Logs each
   * change once.
   */
  const check = async (): Promise<void> => {
    const before = memory();
    if (before.used > softBytes || before.resident > hardBytes) await collectGarbage();
    if (isStopped) return;
    const after = memory();
    const isOver = after.used > softBytes;
    if (isOver === (refusal !== undefined)) return;
    const sizes = {
      used_mib: inMib(after.used),
      resident_mib: inMib(after.resident),
      soft_limit_mib: inMib(softBytes),
      hard_limit_mib: inMib(hardBytes),
    };
    if (isOver) {
      // The Collector's message and a next step.
      const sentence = `data refused due to high memory usage: the collector uses more than ${sizes.soft_limit_mib} MiB. Send it again later; if this persists, raise the limit of memory_limiter or send less`;
      refusal = new Fault('MEMORY_LIMIT_EXCEEDED', sentence, { retryable: true });
      states.report('processor', id, 'StatusRecoverableError', refusal.message);
      logger.warn(sizes, 'memory is above the limit: events are refused');
    } else {
      refusal = undefined;
      states.report('processor', id, 'StatusOK');
      logger.info(sizes, 'memory is below the limit: events are accepted again');
    }
  };

  return {
    forwards: true,

    async start() {
      await check();
      stop = every(parseDuration(settings.check_interval), () => void check());
    },

    // Not async: no frame may keep the payloads alive while they wait for the disk.
    consume(batch) {
      const { length } = batch.events;
      items.incoming.add(length);
      if (refusal !== undefined) {
        refused.add(length);
        return Promise.reject(refusal);
      }
      return consumer.consume(batch).then((outcomes) => {
        accepted.add(length);
        items.outgoing.add(length);
        return outcomes;
      });
    },

    ...(prepare !== undefined && { prepare: (event) => (refusal === undefined ? prepare(event) : event) }),

    async shutdown() {
      isStopped = true;
      stop();
    },
  };
}
