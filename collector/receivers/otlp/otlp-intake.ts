import { Fault } from '../../../core/event/fault.js';
import { MAX_KEPT_BYTES } from '../../../core/storage/rejected/kept-content.js';
import { toFault } from '../../http/problem.js';
import { Turns } from '../turns.js';
import { UnfinishedRequests } from '../unfinished-requests.js';
import type { PartialSuccess } from './export-answer.js';
import { type ItemIntakeOptions, takeItems } from './item-intake.js';
import { LateSpans, type LateSpansClock } from './late-spans.js';
import { type LaterItems, refuseLater, takeLater } from './later-items.js';
import { OccurrenceMemory } from './occurrence-memory.js';
import type { OtlpSignal } from './otlp-failure.js';
import { type OtlpRequest, type ReadFailuresOptions, readFailures } from './read-failures.js';
import { RecordIdMemory } from './record-id-memory.js';
import { RequestProgress } from './request-progress.js';

/** What all requests of one receiver hand their items to. */
type ReceiverParts = Pick<ItemIntakeOptions, 'receiver' | 'consumer' | 'account' | 'records' | 'map' | 'onLoop'>;

/** What all requests of one receiver have in common, over HTTP and gRPC. */
export interface OtlpIntakeOptions extends ReadFailuresOptions, ReceiverParts {
  /** How long occurrences are remembered, milliseconds; 0: only within a request. */
  readonly joinWindowMs: number;
  /** How long a request waits for spans that others bring, milliseconds; never longer than they are remembered. 0: none waits. */
  readonly holdMs: number;
  /** Time for that; default: real. */
  readonly holdClock?: LateSpansClock;
}

/** A request all of whose failures are durable. */
export interface TakenRequest {
  /** Undefined when nothing was rejected. */
  readonly partial: PartialSuccess | undefined;
  /** To be called when the sender cannot have had its answer: what it sends again is then not stored again. */
  undelivered(): void;
}

/** Larger ones are decoded one after the other, because each grows by several times its size, and wait for no spans. */
const LARGE_BODY_BYTES = 1024 * 1024;
/** Of one request; what comes beyond them is stored at once. Each is looked at again when a span comes that it waits for. */
const MAX_WAITING_FAILURES = 100;

/** Takes requests whose bodies have arrived: finds the failures in them, stores each occurrence once, keeps the account. */
export class OtlpIntake {
  readonly #options: OtlpIntakeOptions;
  readonly #occurrences: OccurrenceMemory | undefined;
  readonly #recordIds = new RecordIdMemory();
  readonly #late: LateSpans;
  readonly #turns = new Turns();
  readonly #unfinished: Readonly<Record<OtlpSignal, UnfinishedRequests<RequestProgress>>> = {
    logs: new UnfinishedRequests(),
    traces: new UnfinishedRequests(),
  };

  constructor(options: OtlpIntakeOptions) {
    this.#options = options;
    const { joinWindowMs: windowMs, holdMs, holdClock: clock, spans } = options;
    this.#late = new LateSpans({ spans, holdMs: Math.min(holdMs, windowMs), ...(clock && { clock }) });
    this.#occurrences = windowMs === 0 ? undefined : new OccurrenceMemory({ windowMs });
  }

  /** Resolves when every failure of the request is durable, or rejected. Throws `OTLP_INVALID`, and what the line refuses with. */
  async take(request: OtlpRequest): Promise<TakenRequest> {
    const { signal, body } = request;
    const progress = this.#unfinished[signal].take(body) ?? new RequestProgress();
    const remember = (): void => {
      if (!progress.isEmpty) this.#unfinished[signal].keep(body, progress);
    };
    try {
      await this.#takeAll(request, progress);
    } catch (error) {
      if (error instanceof Fault && error.code === 'OTLP_INVALID') throw await this.#keepInvalid(error, body);
      remember();
      throw error;
    }
    return { partial: progress.partial, undelivered: remember };
  }

  /** Requests that wait for spans are stored with what is known, and from now on none waits: to be called before running requests are waited for. */
  release(): void {
    this.#late.close();
  }

  async #takeAll(request: OtlpRequest, progress: RequestProgress): Promise<void> {
    const occurrences = this.#occurrences ?? new OccurrenceMemory({ windowMs: Number.POSITIVE_INFINITY });
    const isLarge = request.body.length > LARGE_BODY_BYTES;
    const later: LaterItems = { mayWait: isLarge ? 0 : MAX_WAITING_FAILURES, broken: [], repeated: [] };
    const memories = { late: this.#late, occurrences, recordIds: this.#recordIds };
    const options = { ...this.#options, ...memories, progress, later };
    try {
      if (isLarge) await this.#turns.take(() => this.#takeNow(request, options));
      else await this.#takeNow(request, options);
      await takeLater(later, options);
    } catch (error) {
      refuseLater(later, toFault(error), options.account);
      throw error;
    }
  }

  /** Takes what waits for nobody else. */
  async #takeNow(request: OtlpRequest, options: ItemIntakeOptions): Promise<void> {
    const { progress, account } = options;
    let place = 0;
    let othersSoFar = 0;
    for await (const { items, others, find } of readFailures(request, this.#options)) {
      othersSoFar += others;
      const uncounted = progress.countOthers(othersSoFar);
      if (uncounted > 0) account.lost('filtered', 'OTLP_NOT_A_FAILURE', uncounted);
      const next = place + items.length;
      await takeItems({ items, firstPlace: place, find }, options);
      place = next;
    }
  }

  /** Counts a body that could not be read and keeps its beginning. Resolves with the fault to answer. */
  async #keepInvalid(fault: Fault, body: Buffer): Promise<Fault> {
    const { receiver, consumer, account } = this.#options;
    // A copy: the body itself would live as long as its beginning.
    const received = Buffer.from(body.subarray(0, MAX_KEPT_BYTES));
    const { code, message: reason } = fault;
    let answer = fault;
    try {
      await consumer.consume({
        receiver,
        events: [],
        rejected: [{ code, field: '', reason, received, bytes: body.length }],
      });
    } catch (error) {
      answer = toFault(error);
    }
    account.lost(answer.retryable ? 'refused' : 'rejected', answer.code);
    return answer;
  }
}
