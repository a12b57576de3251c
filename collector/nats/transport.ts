/** A stream that Faultline needs; it is created if it is missing. */
export interface StreamSettings {
  /** Letters, digits, `-` and `_`. */
  readonly name: string;
  /** Subjects that it stores, for example `faultline.events.*`. */
  readonly subjects: readonly string[];
  /** 1, 3 or 5. */
  readonly replicas: number;
  /** `interest` keeps a message until each consumer acknowledged it, `limits` keeps all. */
  readonly retention: 'interest' | 'limits';
  /** A message beyond it is refused with `NATS_REFUSED`; absent: the limit of the servers. */
  readonly maxBytes?: number;
}

export interface PublishOptions {
  /** The server drops another message with this id within two minutes. */
  readonly messageId?: string;
  /** Sequence of the last message with this subject, 0: there is none. Another one rejects with `NATS_CONFLICT`. */
  readonly expectedSequence?: number;
}

export interface ConsumeOptions {
  readonly stream: string;
  /** Name of the consumer, which the servers keep over a restart. */
  readonly durable: string;
  readonly subject: string;
  readonly maxInFlight: number;
  /** Messages that the servers send ahead, of up to 1 MiB each; default: `maxInFlight`. */
  readonly maxBuffered?: number;
}

/** A message of a stream. */
export interface StreamMessage {
  readonly subject: string;
  readonly body: Uint8Array;
  /** Position in the stream. */
  readonly sequence: number;
  /** Whether the server delivered it before. */
  readonly isRedelivered: boolean;
}

/** How to answer a message: `ack` ends it, `retry` has it delivered again after a delay in milliseconds. */
export type MessageReply = { readonly kind: 'ack' } | { readonly kind: 'retry'; readonly delayMs: number };

/** How far a consumer is. */
export interface ConsumerProgress {
  readonly pending: number;
  /** 0: nothing is acknowledged. */
  readonly ackedSequence: number;
}

/** A running consumer or reader. */
export interface Consumption {
  /** Messages that wait for this consumer or its answer, and up to where all are acknowledged; rejects while the servers do not respond. */
  progress(): Promise<ConsumerProgress>;
  /** Ends it; messages without an answer are delivered again later. Safe to call twice. */
  stop(): Promise<void>;
}

/** A connection to NATS servers that reconnects. Faults, all retryable: `NATS_UNREACHABLE`, `NATS_CONFLICT`, and `NATS_REFUSED` with the server's sentence, for example a missing permission. */
export interface NatsTransport {
  /** Resolves when the stream exists; creates it if it is missing. */
  ensureStream(stream: StreamSettings): Promise<void>;
  /** Whether a stream exists; creates nothing. */
  hasStream(name: string): Promise<boolean>;
  /** Resolves with the sequence once the servers stored the message. */
  publish(subject: string, body: Uint8Array, options?: PublishOptions): Promise<{ readonly sequence: number }>;
  /** Sends a message that is not stored: who is not connected never gets it. */
  send(subject: string, body: Uint8Array): void;
  /** Receives messages of `send`. Returns a function that ends it. */
  subscribe(subject: string, receive: (body: Uint8Array, subject: string) => void): () => void;
  /** Receives the messages of one subject, each until `receive` resolves with `ack`, also after a restart with the name `durable`. Up to `maxInFlight` calls overlap; they begin in the order of the stream. */
  consume(options: ConsumeOptions, receive: (message: StreamMessage) => Promise<MessageReply>): Promise<Consumption>;
  /** Removes the consumer of `consume` that has this name, if there is one: messages do not wait for it anymore. */
  removeConsumer(stream: string, durable: string): Promise<void>;
  /** Receives all messages of a stream from a sequence on, in order, one at a time; keeps nothing on the server. */
  read(
    options: { readonly stream: string; readonly fromSequence: number },
    receive: (message: StreamMessage) => Promise<void>,
  ): Promise<Consumption>;
  close(): Promise<void>;
}
