import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentials, Metadata, makeClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { logJson, logProtobuf, logsBody } from '../receivers/otlp/bodies.js';
import { originOf, startService, statsOf, stopServices, urlOf } from '../running-service.js';
import { LIMITER, onFixedPorts } from './fixed-ports.js';
import { storedRequestIds } from './stored-request-ids.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

describe('reloads with other protocols', () => {
  it('keep the sockets of OTLP: no connection is refused and every record is stored once', async () => {
    const { settings } = await onFixedPorts();
    const otlp = [
      'service.pipelines.events.receivers=[events, otlp]',
      'receivers.otlp.protocols.http.endpoint=127.0.0.2:0',
      'receivers.otlp.protocols.grpc.endpoint=127.0.0.3:0',
    ];
    const service = await startService(settings(...otlp));
    const Client = makeClientConstructor({}, 'otlp');
    const faults: string[] = [];
    const usedPort = { grpc: 0, http: 0 };
    let isStopped = false;
    const overGrpc = async (): Promise<void> => {
      const client = new Client(new URL(urlOf(service, 'otlp', 'grpc')).host, credentials.createInsecure());
      const identity = (bytes: Buffer): Buffer => bytes;
      const path = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
      while (!isStopped) {
        const error = await new Promise<ServiceError | null>((resolve) => {
          client.makeUnaryRequest(
            path,
            identity,
            identity,
            logProtobuf(`g ${usedPort.grpc}`),
            new Metadata(),
            {},
            resolve,
          );
        });
        if (error === null) usedPort.grpc++;
        else faults.push(String(error));
      }
      client.close();
    };
    const overHttp = async (): Promise<void> => {
      while (!isStopped) {
        const body = logsBody(logJson(undefined, { traceId: '', spanId: '' }));
        const { status } = await fetch(`${originOf(service, 'otlp')}/v1/logs`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        if (status === 200) usedPort.http++;
        else faults.push(String(status));
      }
    };
    const senders = [overGrpc(), overHttp()];
    await waitFor('both', () => usedPort.grpc > 5 && usedPort.http > 5);
    for (let turn = 0; turn < 3; turn++) {
      const before = { ...usedPort };
      await service.service.reload(settings(...otlp, `receivers.otlp.join_window=${turn + 1}s`));
      await waitFor(
        'more of both',
        () => usedPort.grpc > before.grpc + 2 && usedPort.http > before.http + 2,
        5_000,
      ).catch(() => undefined);
    }
    isStopped = true;
    await Promise.all(senders);
    expect(faults).toEqual([]);
    expect((await statsOf(service)).receivers['otlp']).toMatchObject({
      stored: usedPort.grpc + usedPort.http,
      refused: 0,
    });
  });

  it('let a file_log receiver with other settings continue at the position of the previous one', async () => {
    const { directory, settings } = await onFixedPorts();
    const folder = await temporaryFolder();
    const log = join(folder, 'api.log');
    await writeFile(log, '');
    const follow = [
      'service.pipelines.events.receivers=[events, file_log]',
      `receivers.file_log.include=[${folder}/*.log]`,
      `receivers.file_log.storage.directory=${folder}/state`,
      'receivers.file_log.poll_interval=20ms',
    ];
    const service = await startService(settings(...follow));
    const ids: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const more = Array.from({ length: 5 }, (_, index) => `line-${turn}-${index}`);
      ids.push(...more);
      const lines = more.map((id) => JSON.stringify({ level: 'error', msg: 'no route', request_id: id }));
      await appendFile(log, `${lines.join('\n')}\n`);
      const changed = [`receivers.file_log.force_flush_period=${400 + turn}ms`];
      await service.service.reload(settings(...follow, ...(turn % 2 === 0 ? changed : LIMITER)));
    }
    await waitFor('all lines', async () => (await statsOf(service)).events >= ids.length);
    expect(await storedRequestIds(directory)).toEqual(ids.toSorted());
  });
});
