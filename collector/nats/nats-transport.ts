import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { Subscription } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { Fault, messageOf } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import {
  type Connected,
  codeOf,
  MIN_BACKOFF_MS,
  type NatsOptions,
  type NatsSettings,
  openConnection,
  REQUEST_TIMEOUT_MS,
  type ServerConnection,
} from './nats-connection.js';
import type {
  ConsumeOptions,
  ConsumerProgress,
  Consumption,
  MessageReply,
  NatsTransport,
  PublishOptions,
  StreamMessage,
  StreamSettings,
} from './transport.js';

/** After this long without an answer a message is delivered again. */
const ACK_WAIT_MS = 30_000;
/** The server forgets the consumer of a gateway that does not return, which otherwise holds messages back. */
const FORGET_CONSUMER_MS = 72 * 3_600_000;
/** Messages of `read` that wait in memory. */
const MAX_READ_AHEAD = 16;
/** Between two consumers of one consumption. */
const RESTART_MS = 4 * MIN_BACKOFF_MS;
const DUPLICATE_WINDOW_MS = 120_000;
const NANOS_PER_MS = 1_000_000;
/** Error codes of JetStream. */
const STREAM_NOT_FOUND = 10_059;
const CONSUMER_NOT_FOUND = 10_014;

/** Opens a connection in the background. Faults: `TLS_UNREADABLE`, `NATS_CREDENTIALS_UNREADABLE`. */
export async function openNats(settings: NatsSettings, options: NatsOptions): Promise<NatsTransport> {
  const closing = new AbortController();
  // One for each consumer.
  setMaxListeners(0, closing.signal);
  const servers = await openConnection(settings, options, closing.signal);
  return new JetStreamTransport(servers, closing, options.logger);
}

class JetStreamTransport implements NatsTransport {
  readonly #servers: ServerConnection;
  readonly #closing: AbortController;
  readonly #logger: Logger;

  constructor(servers: ServerConnection, closing: AbortController, logger: Logger) {
    this.#servers = servers;
    this.#closing = closing;
    this.#logger = logger;
  }

  ensureStream(stream: StreamSettings): Promise<void> {
    return this.#servers.call(async ({ manager }) => {
      if (await isStream(manager, stream.name)) return;
      const { DiscardPolicy, RetentionPolicy, StorageType } = await import('@nats-io/jetstream');
      const isInterest = stream.retention === 'interest';
      try {
        await manager.streams.add({
          name: stream.name,
          subjects: [...stream.subjects],
          num_replicas: stream.replicas,
          retention: isInterest ? RetentionPolicy.Interest : RetentionPolicy.Limits,
          discard: DiscardPolicy.New,
          max_bytes: stream.maxBytes ?? -1,
          storage: StorageType.File,
          duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
          allow_direct: true,
        });
        this.#logger.info({ stream: stream.name, replicas: stream.replicas }, 'created a stream');
      } catch (error) {
        throw notCreated(stream, error);
      }
    });
  }

  hasStream(name: string): Promise<boolean> {
    return this.#servers.call(({ manager }) => isStream(manager, name));
  }

  publish(
    subject: string,
    body: Uint8Array,
    { messageId, expectedSequence }: PublishOptions = {},
  ): Promise<{ readonly sequence: number }> {
    return this.#servers.call(async ({ client }) => {
      const { seq } = await client.publish(subject, body, {
        timeout: REQUEST_TIMEOUT_MS,
        ...(messageId !== undefined && { msgID: messageId }),
        ...(expectedSequence !== undefined && { expect: { lastSubjectSequence: expectedSequence } }),
      });
      return { sequence: seq };
    });
  }

  send(subject: string, body: Uint8Array): void {
    try {
      this.#servers.current?.connection.publish(subject, body);
    } catch (error) {
      this.#servers.reportProblem(messageOf(error));
    }
  }

  subscribe(subject: string, receive: (body: Uint8Array, subject: string) => void): () => void {
    let isEnded = false;
    let subscription: Subscription | undefined;
    void this.#servers.opened.then((connected) => {
      if (isEnded) return;
      subscription = connected?.connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) receive(message.data, message.subject);
        },
      });
    });
    return () => {
      isEnded = true;
      subscription?.unsubscribe();
      subscription = undefined;
    };
  }

  async consume(options: ConsumeOptions, receive: (message: StreamMessage) => Promise<MessageReply>) {
    const { stream, durable, maxInFlight, maxBuffered = maxInFlight } = options;
    const addConsumer = ({ manager }: Connected) => ensureConsumer(manager, options);
    await this.#servers.call(addConsumer);
    const replies = new Replies();
    const consumption = new EndlessConsumption(this.#servers, this.#closing.signal, {
      async begin(connected) {
        await addConsumer(connected);
        const consumer = await connected.client.consumers.get(stream, durable);
        return await consumer.consume({ max_messages: maxBuffered, abort_on_missing_resource: true });
      },
      handle: (message) => replies.replyWhenDone(message, receive(messageOfStream(message))),
      async progress({ manager }) {
        const info = await manager.consumers.info(stream, durable);
        return { pending: info.num_pending + info.num_ack_pending, ackedSequence: info.ack_floor.stream_seq };
      },
    });
    return {
      progress: () => consumption.progress(),
      async stop() {
        await consumption.stop();
        // Otherwise the server waits for answers before it delivers them to the next consumer.
        replies.returnUnanswered();
      },
    };
  }

  async removeConsumer(stream: string, durable: string): Promise<void> {
    await this.#servers.call(({ manager }) => foundBy(manager.consumers.delete(stream, durable), CONSUMER_NOT_FOUND));
  }

  async read(
    { stream, fromSequence }: { readonly stream: string; readonly fromSequence: number },
    receive: (message: StreamMessage) => Promise<void>,
  ): Promise<Consumption> {
    let next = fromSequence;
    return new EndlessConsumption(this.#servers, this.#closing.signal, {
      async begin({ client }) {
        const { DeliverPolicy } = await import('@nats-io/jetstream');
        const consumer = await client.consumers.get(stream, {
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: Math.max(1, next),
        });
        return await consumer.consume({ max_messages: MAX_READ_AHEAD, abort_on_missing_resource: true });
      },
      async handle(message) {
        await receive(messageOfStream(message));
        next = message.seq + 1;
      },
      async progress({ manager }) {
        const { state } = await manager.streams.info(stream);
        return { pending: Math.max(0, state.last_seq + 1 - Math.max(next, state.first_seq)), ackedSequence: next - 1 };
      },
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = (await this.#servers.opened)?.connection;
    await within(REQUEST_TIMEOUT_MS, connection?.drain().catch(() => undefined) ?? Promise.resolve());
    await within(REQUEST_TIMEOUT_MS, connection?.close().catch(() => undefined) ?? Promise.resolve());
  }
}

interface Messages extends AsyncIterable<JsMsg> {
  close(): Promise<unknown>;
}

/** What differs between consumptions. */
interface Consuming {
  begin(connected: Connected): Promise<Messages>;
  /** The next message waits for a promise. */
  handle(message: JsMsg): Promise<void> | undefined;
  progress(connected: Connected): Promise<ConsumerProgress>;
}

/** Begins again when the consumer ends, for example because the server lost it, until it is stopped. */
class EndlessConsumption implements Consumption {
  readonly #servers: ServerConnection;
  readonly #consuming: Consuming;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #messages: Messages | undefined;

  constructor(servers: ServerConnection, closing: AbortSignal, consuming: Consuming) {
    this.#servers = servers;
    this.#consuming = consuming;
    closing.addEventListener('abort', () => this.#stopping.abort());
    this.#running = this.#run();
  }

  progress(): Promise<ConsumerProgress> {
    return this.#servers.call((connected) => this.#consuming.progress(connected));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#messages?.close();
    await within(REQUEST_TIMEOUT_MS, this.#running);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#consumeOnce().catch((error: unknown) => this.#servers.reportProblem(messageOf(error)));
      await delay(RESTART_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #consumeOnce(): Promise<void> {
    const messages = await this.#servers.call((connected) => this.#consuming.begin(connected));
    this.#messages = messages;
    // Not awaited: it resolves when the iteration below ends.
    if (this.#stopping.signal.aborted) void messages.close();
    for await (const message of messages) await this.#consuming.handle(message);
  }
}

/** Answers messages, each once. */
class Replies {
  readonly #unanswered = new Set<JsMsg>();

  /** Returns at once; a failure has the message delivered again. */
  replyWhenDone(message: JsMsg, handled: Promise<MessageReply>): undefined {
    this.#unanswered.add(message);
    void handled.then(
      (reply) => this.#reply(message, reply),
      () => this.#reply(message, { kind: 'retry', delayMs: MIN_BACKOFF_MS }),
    );
  }

  /** Has the messages without an answer delivered again. */
  returnUnanswered(): void {
    for (const message of [...this.#unanswered]) this.#reply(message, { kind: 'retry', delayMs: 0 });
  }

  #reply(message: JsMsg, reply: MessageReply): void {
    if (!this.#unanswered.delete(message)) return;
    try {
      if (reply.kind === 'ack') message.ack();
      else message.nak(reply.delayMs);
    } catch {
      // Without a connection; the message is delivered again.
    }
  }
}

async function ensureConsumer(
  manager: JetStreamManager,
  { stream, durable, subject, maxInFlight }: ConsumeOptions,
): Promise<void> {
  const { AckPolicy, DeliverPolicy } = await import('@nats-io/jetstream');
  await manager.consumers.add(stream, {
    durable_name: durable,
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
    max_ack_pending: maxInFlight,
    inactive_threshold: FORGET_CONSUMER_MS * NANOS_PER_MS,
  });
}

async function isStream(manager: JetStreamManager, name: string): Promise<boolean> {
  return (await foundBy(manager.streams.info(name), STREAM_NOT_FOUND)) !== undefined;
}

/** Undefined if the call failed with this code. */
async function foundBy<Result>(call: Promise<Result>, notFound: number): Promise<Result | undefined> {
  return await call.catch((error: unknown) => {
    if (codeOf(error) !== notFound) throw error;
    return undefined;
  });
}

function messageOfStream(message: JsMsg): StreamMessage {
  const { subject, data, seq, redelivered } = message;
  return { subject, body: data, sequence: seq, isRedelivered: redelivered };
}

function notCreated({ name, subjects, replicas, retention, maxBytes = -1 }: StreamSettings, cause: unknown): Fault {
  const create = `nats stream add ${name} --subjects '${subjects.join(',')}' --retention ${retention} --discard new --storage file --replicas ${replicas} --max-bytes ${maxBytes} --defaults`;
  const sentence = `the stream ${name} is missing and cannot be created: ${messageOf(cause)}. Run \`${create}\`, or set \`replicas\` to at most the number of servers, and \`max_stream_size\` to what they have.`;
  return new Fault('NATS_REFUSED', sentence, { cause, retryable: true });
}
