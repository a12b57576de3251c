import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Consumer } from '../../../../collector/component/consumer.js';
import {
  FileLogReceiver,
  type FileLogReceiverOptions,
} from '../../../../collector/receivers/file-log/file-log-receiver.js';
import { Ledger } from '../../../../collector/telemetry/ledger.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { FileLogReceiverSettings } from '../../../../generated/settings.js';
import { DEFAULT_LIMITS } from '../../../helpers/event-limits.js';
import { temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { createMemoryConsumer, type MemoryConsumer } from '../../memory-consumer.js';
import { createMemoryReader } from '../../query/memory-reader.js';

/** A folder of logs, and receivers that follow it one after the other. */
export class FollowedLogs {
  readonly folder: string;
  readonly consumer: MemoryConsumer = createMemoryConsumer();
  readonly ledger: Ledger = new Ledger();
  readonly logged: Record<string, unknown>[] = [];
  #receiver: FileLogReceiver | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<FollowedLogs> {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'logs'));
    return new FollowedLogs(folder);
  }

  path(name: string): string {
    return join(this.folder, 'logs', name);
  }

  get checkpointPath(): string {
    return join(this.folder, 'storage', 'file_log', 'checkpoint.json');
  }

  write(name: string, text: string | Buffer): Promise<void> {
    return writeFile(this.path(name), text);
  }

  append(name: string, text: string | Buffer): Promise<void> {
    return appendFile(this.path(name), text);
  }

  build(
    settings: Partial<FileLogReceiverSettings> = {},
    options: Partial<FileLogReceiverOptions> & { consumer?: Consumer } = {},
  ): FileLogReceiver {
    const logger = pino({ level: 'trace' }, { write: (line: string) => void this.logged.push(JSON.parse(line)) });
    return new FileLogReceiver({
      id: 'file_log',
      settings: { ...fileLogSettings(this.folder), ...settings },
      consumer: this.consumer,
      account: this.ledger.account('file_log'),
      logger,
      reader: () => createMemoryReader(),
      waits: { firstMs: 10, longestMs: 20 },
      ...options,
    });
  }

  async start(
    settings: Partial<FileLogReceiverSettings> = {},
    options: Partial<FileLogReceiverOptions> = {},
  ): Promise<void> {
    this.#receiver = this.build(settings, options);
    await this.#receiver.start();
  }

  async stop(): Promise<void> {
    await this.#receiver?.shutdown();
    this.#receiver = undefined;
  }

  get payloads(): RawPayload[] {
    return this.consumer.events.map(({ payload }) => payload);
  }

  get messages(): string[] {
    return this.payloads.map(({ message }) => message);
  }

  /** Waits for exactly these messages, in this order. */
  async expectMessages(...messages: string[]): Promise<void> {
    await waitFor(`${messages.length} events`, () => this.messages.length >= messages.length);
    expect(this.messages).toEqual(messages);
  }

  warnings(): Record<string, unknown>[] {
    return this.logged.filter(({ level }) => level === 40);
  }
}

function fileLogSettings(folder: string): FileLogReceiverSettings {
  return {
    include: [join(folder, 'logs', '*.log')],
    exclude: [],
    start_at: 'beginning',
    poll_interval: '10ms',
    force_flush_period: '50ms',
    max_log_size: '1MiB',
    max_files: 1_000,
    format: 'auto',
    min_severity: 'error',
    storage: { directory: join(folder, 'storage') },
    defaults: { env: 'production' },
    limits: DEFAULT_LIMITS,
  };
}

/** A JSON line of level error. */
export function errorLine(message: string): string {
  return `${JSON.stringify({ level: 'error', msg: message })}\n`;
}
