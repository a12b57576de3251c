import type {
  ConsumerProgress,
  Consumption,
  MessageReply,
  NatsTransport,
  PublishOptions,
  StreamMessage,
  StreamSettings,
} from '../../../collector/nats/transport.js';
import { Fault } from '../../../core/event/fault.js';

/** Of message ids, as the servers have it by default. */
const DUPLICATE_WINDOW_MS = 120_000;
/** After a `receive` that rejected. */
const RETRY_MS = 20;

/** A connection that can be cut. */
export interface MemoryTransport extends NatsTransport {
  /** Until `reconnect`, calls reject with `NATS_UNREACHABLE`, nothing is received, and answers to messages are lost. */
  disconnect(): void;
  reconnect(): void;
  /** The next publications are stored, but reject with `NATS_UNREACHABLE` as if the answer was lost. */
  loseAnswers(count: number): void;
}

/** A cluster in memory; all its connections share streams, durable consumers and subjects. */
export interface MemoryNats {
  connect(): MemoryTransport;
  /** Cuts all connections. */
  disconnect(): void;
  reconnect(): void;
  /** Forgets the last `count` sequences of a stream, as servers may after a power failure; new messages use them again. */
  loseLast(stream: string, count: number): void;
  /** Messages that a stream stores, oldest first. */
  stored(stream: string): readonly StoredMessage[];
  /** Number of durable consumers of a stream; 0 if there is no such stream. */
  consumers(stream: string): number;
}

interface StoredMessage {
  readonly subject: string;
  readonly body: Uint8Array;
  readonly sequence: number;
}

/** Creates an empty cluster that behaves as JetStream does, without its limits and delays. */
export function createMemoryNats(): MemoryNats {
  const cluster = new Cluster();
  return {
    connect: () => new Connection(cluster),
    disconnect() {
      for (const connection of cluster.connections) connection.disconnect();
    },
    reconnect() {
      for (const connection of cluster.connections) connection.reconnect();
    },
    loseLast: (stream, count) => cluster.stream(stream).loseLast(count),
    stored: (stream) => [...cluster.stream(stream).messages.values()],
    consumers: (stream) => cluster.streams.get(stream)?.durables.size ?? 0,
  };
}

/** Whether a subject fits a pattern, in which `*` stands for one token and `>` for all that follow. */
function matches(pattern: string, subject: string): boolean {
  const tokens = subject.split('.');
  const parts = pattern.split('.');
  for (const [index, part] of parts.entries()) {
    if (part === '>') return tokens.length > index;
    if (tokens[index] === undefined || (part !== '*' && part !== tokens[index])) return false;
  }
  return parts.length === tokens.length;
}

function refused(sentence: string): Fault {
  return new Fault('NATS_REFUSED', sentence, { retryable: true });
}

class Cluster {
  readonly connections = new Set<Connection>();
  readonly subscriptions = new Set<Subscription>();
  readonly streams = new Map<string, Stream>();

  stream(name: string): Stream {
    const stream = this.streams.get(name);
    if (stream === undefined) throw refused(`stream not found: ${name}`);
    return stream;
  }
}

interface Subscription {
  readonly pattern: string;
  readonly connection: Connection;
  readonly receive: (body: Uint8Array, subject: string) => void;
}

class Stream {
  readonly settings: StreamSettings;
  /** By sequence, ascending. */
  readonly messages = new Map<number, StoredMessage>();
  readonly durables = new Map<string, Durable>();
  readonly readers = new Set<Reader>();
  lastSequence = 0;
  readonly #messageIds = new Map<string, { readonly sequence: number; readonly atMs: number }>();

  constructor(settings: StreamSettings) {
    this.settings = settings;
  }

  store(subject: string, body: Uint8Array, { messageId, expectedSequence }: PublishOptions): number {
    // As the servers do, before the expected sequence is compared.
    const first = messageId === undefined ? undefined : this.#messageIds.get(messageId);
    if (first !== undefined && Date.now() - first.atMs < DUPLICATE_WINDOW_MS) return first.sequence;
    const last = this.lastOf(subject);
    if (expectedSequence !== undefined && expectedSequence !== last) {
      throw new Fault('NATS_CONFLICT', `wrong last sequence: ${last}`, { retryable: true });
    }
    this.lastSequence += 1;
    const sequence = this.lastSequence;
    if (messageId !== undefined) this.#messageIds.set(messageId, { sequence, atMs: Date.now() });
    const message = { subject, body: Uint8Array.from(body), sequence };
    this.messages.set(sequence, message);
    for (const durable of this.durables.values()) durable.add(message);
    this.removeAnswered(sequence);
    for (const reader of this.readers) reader.wake();
    return sequence;
  }

  /** Under `interest`, removes a message that no consumer waits for. */
  removeAnswered(sequence: number): void {
    if (this.settings.retention !== 'interest') return;
    if (![...this.durables.values()].some((durable) => durable.unanswered.has(sequence)))
      this.messages.delete(sequence);
  }

  loseLast(count: number): void {
    this.lastSequence = Math.max(0, this.lastSequence - count);
    const isLost = (sequence: number): boolean => sequence > this.lastSequence;
    for (const sequence of [...this.messages.keys()].filter(isLost)) this.messages.delete(sequence);
    for (const [id, { sequence }] of this.#messageIds) if (isLost(sequence)) this.#messageIds.delete(id);
    for (const durable of this.durables.values()) durable.forget(isLost);
    for (const reader of this.readers) reader.next = Math.min(reader.next, this.lastSequence + 1);
  }

  lastOf(subject: string): number {
    return [...this.messages.values()].findLast((message) => message.subject === subject)?.sequence ?? 0;
  }
}

interface Worker {
  readonly connection: Connection;
  readonly maxInFlight: number;
  readonly receive: (message: StreamMessage) => Promise<MessageReply>;
  inFlight: number;
  isStopped: boolean;
}

/** A durable consumer, whose messages are divided among its workers. */
class Durable {
  readonly subject: string;
  /** Messages without `ack`, the delivered ones included. */
  readonly unanswered = new Map<number, StoredMessage>();
  readonly workers = new Set<Worker>();
  readonly #stream: Stream;
  /** Of `unanswered`: next to be delivered, the first ones first. */
  #ready: StoredMessage[] = [];
  readonly #delivered = new WeakSet<StoredMessage>();

  constructor(stream: Stream, subject: string) {
    this.#stream = stream;
    this.subject = subject;
    for (const message of stream.messages.values()) this.add(message);
  }

  add(message: StoredMessage): void {
    if (!matches(this.subject, message.subject)) return;
    this.unanswered.set(message.sequence, message);
    this.#ready.push(message);
    this.wake();
  }

  /** Nothing up to the sequence before the first unanswered message waits. */
  get progress(): ConsumerProgress {
    const first = Math.min(...this.unanswered.keys(), this.#stream.lastSequence + 1);
    return { pending: this.unanswered.size, ackedSequence: first - 1 };
  }

  forget(isLost: (sequence: number) => boolean): void {
    for (const sequence of [...this.unanswered.keys()].filter(isLost)) this.unanswered.delete(sequence);
    this.#ready = this.#ready.filter(({ sequence }) => !isLost(sequence));
  }

  wake(): void {
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    for (;;) {
      const free = [...this.workers].filter(
        ({ connection, inFlight, maxInFlight }) => connection.isConnected && inFlight < maxInFlight,
      );
      // The least busy one, so that workers share.
      const [worker] = free.toSorted((one, other) => one.inFlight - other.inFlight);
      const message = worker && this.#ready.shift();
      if (message === undefined) return;
      void this.#hand(message, worker as Worker);
    }
  }

  async #hand(message: StoredMessage, worker: Worker): Promise<void> {
    const isRedelivered = this.#delivered.has(message);
    this.#delivered.add(message);
    worker.inFlight += 1;
    const reply = await worker
      .receive({ ...message, isRedelivered })
      .catch((): MessageReply => ({ kind: 'retry', delayMs: RETRY_MS }));
    worker.inFlight -= 1;
    const isHeard = worker.connection.isConnected && !worker.isStopped;
    if (this.unanswered.get(message.sequence) !== message) return this.wake();
    if (isHeard && reply.kind === 'ack') {
      this.unanswered.delete(message.sequence);
      this.#stream.removeAnswered(message.sequence);
      return this.wake();
    }
    const again = (): void => {
      if (this.unanswered.get(message.sequence) === message) this.#ready.unshift(message);
      this.#deliver();
    };
    if (isHeard && reply.kind === 'retry') setTimeout(again, reply.delayMs).unref();
    else setImmediate(again);
    this.wake();
  }
}

/** Reads a stream in order, one message at a time. */
class Reader {
  next: number;
  readonly connection: Connection;
  readonly #stream: Stream;
  readonly #receive: (message: StreamMessage) => Promise<void>;
  #isReceiving = false;

  constructor(
    stream: Stream,
    connection: Connection,
    fromSequence: number,
    receive: (message: StreamMessage) => Promise<void>,
  ) {
    this.#stream = stream;
    this.connection = connection;
    this.#receive = receive;
    // A server begins after its last message if it is asked for a later one.
    this.next = Math.min(Math.max(1, fromSequence), stream.lastSequence + 1);
  }

  get progress(): ConsumerProgress {
    const waiting = [...this.#stream.messages.keys()].filter((sequence) => sequence >= this.next).length;
    return { pending: waiting + (this.#isReceiving ? 1 : 0), ackedSequence: this.next - 1 };
  }

  wake(): void {
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    if (this.#isReceiving) return;
    this.#isReceiving = true;
    while (this.connection.isConnected && this.#stream.readers.has(this)) {
      const message = this.#take();
      if (message === undefined) break;
      while (this.#stream.readers.has(this) && !(await this.#received(message))) await pause(RETRY_MS);
    }
    this.#isReceiving = false;
  }

  #take(): StoredMessage | undefined {
    while (this.next <= this.#stream.lastSequence) {
      const message = this.#stream.messages.get(this.next);
      this.next += 1;
      if (message !== undefined) return message;
    }
    return undefined;
  }

  #received(message: StoredMessage): Promise<boolean> {
    return this.#receive({ ...message, isRedelivered: false }).then(
      () => true,
      () => false,
    );
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

class Connection implements MemoryTransport {
  isConnected = true;
  readonly #cluster: Cluster;
  readonly #endings = new Set<() => void>();
  #isClosed = false;
  #answersToLose = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    cluster.connections.add(this);
  }

  disconnect(): void {
    this.isConnected = false;
  }

  reconnect(): void {
    if (this.#isClosed) return;
    this.isConnected = true;
    for (const stream of this.#cluster.streams.values()) {
      for (const durable of stream.durables.values()) durable.wake();
      for (const reader of stream.readers) reader.wake();
    }
  }

  loseAnswers(count: number): void {
    this.#answersToLose += count;
  }

  async ensureStream(settings: StreamSettings): Promise<void> {
    await this.#reach();
    const { streams } = this.#cluster;
    if (streams.has(settings.name)) return;
    if (!/^[\w-]+$/.test(settings.name)) throw refused(`invalid stream name: ${settings.name}`);
    const taken = [...streams.values()].flatMap((stream) => stream.settings.subjects);
    const overlap = settings.subjects.find((one) => taken.some((other) => matches(one, other) || matches(other, one)));
    if (overlap !== undefined) throw refused(`subjects overlap with an existing stream: ${overlap}`);
    streams.set(settings.name, new Stream(settings));
  }

  async hasStream(name: string): Promise<boolean> {
    await this.#reach();
    return this.#cluster.streams.has(name);
  }

  async publish(
    subject: string,
    body: Uint8Array,
    options: PublishOptions = {},
  ): Promise<{ readonly sequence: number }> {
    await this.#reach();
    const stream = [...this.#cluster.streams.values()].find(({ settings }) =>
      settings.subjects.some((pattern) => matches(pattern, subject)),
    );
    if (stream === undefined) throw refused(`no stream stores ${subject}`);
    const sequence = stream.store(subject, body, options);
    await settled();
    if (this.#answersToLose > 0) {
      this.#answersToLose -= 1;
      throw unreachable();
    }
    await this.#reach();
    return { sequence };
  }

  send(subject: string, body: Uint8Array): void {
    if (!this.isConnected) return;
    const sent = Uint8Array.from(body);
    for (const subscription of this.#cluster.subscriptions) {
      const { pattern, connection, receive } = subscription;
      if (!connection.isConnected || !matches(pattern, subject)) continue;
      setImmediate(() => {
        if (this.#cluster.subscriptions.has(subscription)) receive(sent, subject);
      });
    }
  }

  subscribe(pattern: string, receive: (body: Uint8Array, subject: string) => void): () => void {
    const subscription = { pattern, connection: this, receive };
    this.#cluster.subscriptions.add(subscription);
    return this.#ending(() => this.#cluster.subscriptions.delete(subscription));
  }

  async consume(
    options: {
      readonly stream: string;
      readonly durable: string;
      readonly subject: string;
      readonly maxInFlight: number;
    },
    receive: (message: StreamMessage) => Promise<MessageReply>,
  ): Promise<Consumption> {
    await this.#reach();
    const stream = this.#cluster.stream(options.stream);
    const durable = stream.durables.get(options.durable) ?? new Durable(stream, options.subject);
    stream.durables.set(options.durable, durable);
    const { maxInFlight } = options;
    const worker: Worker = { connection: this, maxInFlight, receive, inFlight: 0, isStopped: false };
    durable.workers.add(worker);
    durable.wake();
    const end = (): void => {
      worker.isStopped = true;
      durable.workers.delete(worker);
    };
    return this.#consumption(() => durable.progress, end);
  }

  async removeConsumer(name: string, durable: string): Promise<void> {
    await this.#reach();
    const stream = this.#cluster.stream(name);
    stream.durables.delete(durable);
    for (const sequence of [...stream.messages.keys()]) stream.removeAnswered(sequence);
  }

  async read(
    options: { readonly stream: string; readonly fromSequence: number },
    receive: (message: StreamMessage) => Promise<void>,
  ): Promise<Consumption> {
    await this.#reach();
    const stream = this.#cluster.stream(options.stream);
    const reader = new Reader(stream, this, options.fromSequence, receive);
    stream.readers.add(reader);
    reader.wake();
    return this.#consumption(
      () => reader.progress,
      () => stream.readers.delete(reader),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of [...this.#endings]) end();
    this.isConnected = false;
    this.#cluster.connections.delete(this);
  }

  #consumption(progress: () => ConsumerProgress, stop: () => void): Consumption {
    const end = this.#ending(stop);
    return {
      progress: async () => {
        await this.#reach();
        return progress();
      },
      stop: async () => end(),
    };
  }

  #ending(end: () => void): () => void {
    const once = (): void => {
      if (this.#endings.delete(once)) end();
    };
    this.#endings.add(once);
    return once;
  }

  /** A turn of the event loop, as each call of a server takes. */
  async #reach(): Promise<void> {
    await settled();
    if (!this.isConnected) throw unreachable();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function unreachable(): Fault {
  return new Fault('NATS_UNREACHABLE', 'no NATS server answers', { retryable: true });
}
