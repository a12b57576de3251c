import { Fault } from '../../../../core/event/fault.js';
import { MAX_KEPT_BYTES } from '../../../../core/storage/dead-letters/kept-content.js';
import type { PartialSuccess } from '../../../otlp/responses.js';
import { SerialQueue } from '../../intake/serial-queue.js';
import type { OtlpSignal } from '../decode/otlp-failure.js';
import { type OtlpRequest, type ReadFailuresOptions, readFailures } from '../decode/read-failures.js';
import { ExceptionDedup } from './exception-dedup.js';
import { acceptItems, type ItemIntakeOptions } from './item-intake.js';
import { RecordIdDedup } from './record-id-dedup.js';
import { RequestProgress, UnfinishedRequests } from './request-progress.js';

/** What all requests of one receiver hand their items to. */
type ReceiverParts = Pick<ItemIntakeOptions, 'account' | 'intake' | 'map' | 'onLoop'>;

/** What all requests of one receiver have in common, over HTTP and gRPC. */
export interface OtlpIntakeOptions extends ReadFailuresOptions, ReceiverParts {
  readonly memory: OtlpMemory;
}

/** What is remembered of requests, so that what is sent again is stored once. */
export class OtlpMemory {
  /** Undefined: occurrences are remembered only within a request. */
  readonly occurrences: ExceptionDedup | undefined;
  readonly recordIds = new RecordIdDedup();
  readonly unfinished: Readonly<Record<OtlpSignal, UnfinishedRequests>> = {
    logs: new UnfinishedRequests(),
    traces: new UnfinishedRequests(),
  };

  /** How long occurrences are remembered, milliseconds; 0: only within a request. */
  constructor(windowMs: number) {
    this.occurrences = windowMs === 0 ? undefined : new ExceptionDedup({ windowMs });
  }
}

/** A request all of whose failures are durable. */
export interface AcceptedRequest {
  /** Undefined when nothing was rejected. */
  readonly partial: PartialSuccess | undefined;
  /** To be called when the sender cannot have had its answer: what it sends again is then not stored again. */
  undelivered(): void;
}

/** Larger ones are decoded one after the other, because each grows by several times its size. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** Takes requests whose bodies have arrived: finds the failures in them, stores each occurrence once, keeps the account. */
export class OtlpIntake {
  readonly #options: OtlpIntakeOptions;
  readonly #queue = new SerialQueue();

  constructor(options: OtlpIntakeOptions) {
    this.#options = options;
  }

  /** Resolves when every failure of the request is durable, or rejected. Throws `OTLP_INVALID`, and what the line refuses with. */
  async accept(request: OtlpRequest): Promise<AcceptedRequest> {
    const { signal, body } = request;
    const unfinished = this.#options.memory.unfinished[signal];
    const progress = unfinished.resume(body) ?? new RequestProgress();
    const remember = (): void => {
      if (!progress.isEmpty) unfinished.remember(body, progress);
    };
    try {
      if (body.length <= LARGE_BODY_BYTES) await this.#acceptAll(request, progress);
      else await this.#queue.run(() => this.#acceptAll(request, progress));
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
    const options = { ...this.#options, occurrences, recordIds, progress };
    let place = 0;
    let othersSoFar = 0;
    for await (const { items, others } of readFailures(request, this.#options)) {
      othersSoFar += others;
      const uncounted = progress.countOthers(othersSoFar);
      if (uncounted > 0) options.account.count('filtered', 'OTLP_NOT_A_FAILURE', uncounted);
      const next = place + items.length;
      await acceptItems(items, place, options);
      place = next;
    }
  }

  /** Counts a body that could not be read and keeps its beginning. Throws when the line refuses it. */
  async #rejectInvalid({ code, message: reason }: Fault, body: Buffer): Promise<void> {
    // A copy: the body itself would live as long as its beginning.
    const received = Buffer.from(body.subarray(0, MAX_KEPT_BYTES));
    await this.#options.intake.reject([{ code, field: '', reason, received, bytes: body.length }]);
  }
}
