import { Fault } from '../../../../core/event/fault.js';
import { MAX_CONTENT_BYTES } from '../../../../core/storage/dead-letters/encode-content.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { PartialSuccess } from '../../../otlp/responses.js';
import { makeRoom } from '../../../telemetry/garbage-collection.js';
import { SerialQueue } from '../../intake/serial-queue.js';
import type { OtlpSignal } from '../decode/otlp-failure.js';
import { type OtlpRequest, type ReadFailuresOptions, readFailures } from '../decode/read-failures.js';
import type { FindSpan } from '../decode/span-cache.js';
import { ExceptionDedup } from './exception-dedup.js';
import { ItemIntake, type ItemIntakeOptions } from './item-intake.js';
import { RecordIdDedup } from './record-id-dedup.js';
import { RequestProgress, UnfinishedRequests } from './request-progress.js';

/** Shared by all requests of one receiver, over HTTP and gRPC. */
interface OtlpIntakeOptions
  extends ReadFailuresOptions,
    Pick<ItemIntakeOptions, 'account' | 'intake' | 'map' | 'onLoop'> {
  readonly memory: OtlpMemory;
}

/** Deduplication state of a receiver, so that repeated records are stored once. */
export class OtlpMemory {
  /** Undefined: occurrences are deduplicated only within a request. */
  readonly occurrences: ExceptionDedup | undefined;
  readonly recordIds = new RecordIdDedup();
  readonly unfinished: Readonly<Record<OtlpSignal, UnfinishedRequests>> = {
    logs: new UnfinishedRequests(),
    traces: new UnfinishedRequests(),
  };

  /** `windowMs` is how long occurrences are remembered; 0: only within a request. */
  constructor(windowMs: number) {
    this.occurrences = windowMs === 0 ? undefined : new ExceptionDedup({ windowMs });
  }
}

/** A request whose failures are all durable or rejected. */
export interface AcceptedRequest {
  /** Undefined if nothing was rejected. */
  readonly partial: PartialSuccess | undefined;
  /** Call it if the response was not delivered, so that a retry stores nothing twice. */
  undelivered(): void;
}

/** Larger bodies are decoded one at a time, because each takes several times its size. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** Accepts complete requests: finds their failures, stores each occurrence once and counts outcomes. */
export class OtlpIntake {
  readonly #options: OtlpIntakeOptions;
  readonly #queue = new SerialQueue();

  constructor(options: OtlpIntakeOptions) {
    this.#options = options;
  }

  /** Resolves when every failure of the request is durable or rejected. Throws `OTLP_INVALID` and the pipeline's refusal. */
  async accept(request: OtlpRequest): Promise<AcceptedRequest> {
    const { signal, body } = request;
    const unfinished = this.#options.memory.unfinished[signal];
    const progress = unfinished.resume(body) ?? new RequestProgress();
    const remember = (): void => {
      if (!progress.isEmpty) unfinished.remember(body, progress);
    };
    try {
      if (body.length <= LARGE_BODY_BYTES) await this.#acceptAll(request, progress);
      else {
        await this.#queue.run(async () => {
          await makeRoom();
          await this.#acceptAll(request, progress);
        });
      }
    } catch (error) {
      if (error instanceof Fault && error.code === 'OTLP_INVALID') await this.#rejectInvalid(error, body);
      else remember();
      throw error;
    }
    return { partial: progress.partial, undelivered: remember };
  }

  async #acceptAll(request: OtlpRequest, progress: RequestProgress): Promise<void> {
    const { recordIds, occurrences = new ExceptionDedup({ windowMs: Number.POSITIVE_INFINITY }) } =
      this.#options.memory;
    const { account, spans } = this.#options;
    const findSpan: FindSpan = (traceId, spanId) => spans.find(traceId, spanId);
    const { origin } = request;
    const accepting = new ItemIntake({ ...this.#options, occurrences, recordIds, findSpan, progress, origin });
    const slice = beginTimeSlice();
    let position = 0;
    let othersSoFar = 0;
    try {
      for await (const { items, others } of readFailures(request, this.#options)) {
        othersSoFar += others;
        const uncounted = progress.countOthers(othersSoFar);
        if (uncounted > 0) account.count('filtered', 'OTLP_NOT_A_FAILURE', uncounted);
        for (const item of items) {
          accepting.add(item, position++);
          if (accepting.isFull) await accepting.store();
          if (slice.isOver) await slice.next();
        }
      }
      await accepting.store();
    } catch (error) {
      accepting.abandon(error);
      throw error;
    }
  }

  /** Rejects an invalid body with its beginning. Throws if the pipeline refuses it. */
  async #rejectInvalid({ code, message: reason }: Fault, body: Buffer): Promise<void> {
    // A copy, so that the body can be freed.
    const received = Buffer.from(body.subarray(0, MAX_CONTENT_BYTES));
    await this.#options.intake.reject([{ code, field: '', reason, received, bytes: body.length }]);
  }
}
