import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { reservePort } from '../../helpers/reserved-port.js';
import { waitFor } from '../../helpers/wait-for.js';
import { end, killAtExit } from '../collector-process.js';
import { startPeerProcess } from '../peer-process.js';
import type { Subject } from './measure-load.js';

const READY_WAIT_MS = 30_000;

/** Where a Collector writes: a queue on disk with fsync before a sink that accepts at once, or a file without fsync. */
export type CollectorExporter = 'queue' | 'file';

/** Starts a Collector over a folder on free ports; requests are not compressed, which costs it less than its default. */
export async function startOpenTelemetryCollector(
  program: string,
  folder: string,
  exporter: CollectorExporter,
): Promise<Subject & { readonly grpcUrl: string }> {
  mkdirSync(folder, { recursive: true });
  const sink = exporter === 'queue' ? await startPeerProcess('accept-all') : undefined;
  const [http, grpc] = [await reservePort(), await reservePort()];
  const config = {
    receivers: {
      otlp: { protocols: { http: { endpoint: `127.0.0.1:${http}` }, grpc: { endpoint: `127.0.0.1:${grpc}` } } },
    },
    extensions: sink && { file_storage: { directory: folder, fsync: true } },
    exporters: sink
      ? {
          otlp_http: {
            endpoint: sink.url,
            compression: 'none',
            sending_queue: { storage: 'file_storage', queue_size: 1_000_000, block_on_overflow: true },
          },
        }
      : { file: { path: join(folder, 'records.json') } },
    service: {
      extensions: sink ? ['file_storage'] : [],
      telemetry: { logs: { level: 'error' }, metrics: { level: 'none' } },
      pipelines: { logs: { receivers: ['otlp'], exporters: [sink ? 'otlp_http' : 'file'] } },
    },
  };
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(program, ['--config', `file:${file}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  killAtExit(child);
  await untilListening(http);
  await untilListening(grpc);
  return {
    child,
    url: `http://127.0.0.1:${http}`,
    grpcUrl: `http://127.0.0.1:${grpc}`,
    stop: async () => {
      await end(child, 'SIGTERM');
      await sink?.stop();
    },
  };
}

async function untilListening(port: number): Promise<void> {
  const isListening = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port }, () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await waitFor(`a process that listens on port ${port}`, isListening, READY_WAIT_MS);
}
