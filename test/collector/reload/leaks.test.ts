import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { closeBodyServers } from '../../helpers/body-server.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { startBackend } from '../exporters/backend.js';
import { tlsFile } from '../http/tls-connection.js';
import { startService } from '../running-service.js';
import { onFixedPorts } from './fixed-ports.js';

afterAll(async () => {
  await closeBodyServers();
  await removeTemporaryFolders();
});

/** The part of an EventEmitter that counts listeners. */
interface Emitter {
  eventNames(): (string | symbol)[];
  listenerCount(name: string | symbol): number;
}

function isEmitter(handle: unknown): handle is Emitter {
  return typeof handle === 'object' && handle !== null && 'eventNames' in handle && 'listenerCount' in handle;
}

function listenersOf(emitter: Emitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

/** Open sockets, servers and other handles of this process; Node has no documented way to list them. */
function openHandles(): unknown[] {
  return (process as unknown as { _getActiveHandles: () => unknown[] })._getActiveHandles();
}

/** Counts of everything that a reload could leak. */
function leftovers(): Record<string, number> {
  const handles = openHandles();
  const found: Record<string, number> = {
    handles: handles.length,
    'listeners of handles': handles.filter(isEmitter).reduce((sum, handle) => sum + listenersOf(handle), 0),
    'listeners of the process': listenersOf(process),
  };
  for (const name of process.getActiveResourcesInfo()) found[name] = (found[name] ?? 0) + 1;
  return found;
}

describe('many reloads', () => {
  it('leak no server, timer, socket, handle or listener, whatever they change, also if they are refused', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', onWarning);
    const backend = await startBackend();
    const { settings } = await onFixedPorts();
    const folder = await temporaryFolder();
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port: usedPort } = holder.address() as { port: number };
    const more = [
      'service.pipelines.events.receivers=[events, otlp, file_log]',
      'receivers.otlp.protocols.http.endpoint=127.0.0.2:0',
      `receivers.otlp.protocols.http.tls={cert_file: ${tlsFile('server.pem')}, key_file: ${tlsFile('server-key.pem')}}`,
      'receivers.otlp.protocols.grpc.endpoint=127.0.0.3:0',
      `receivers.file_log.include=[${folder}/*.log]`,
      `receivers.file_log.storage.directory=${join(folder, 'state')}`,
      'service.pipelines.events.exporters=[store, otlp_http]',
      `exporters.otlp_http.endpoint=${backend.url}`,
      'processors.sample={keep_first: 2, keep_one_in: 5}',
      'service.pipelines.events.processors=[memory_limiter, sample]',
    ];
    const variants = [
      settings(...more),
      settings('exporters.store.durability=os', 'receivers.events.max_events_per_request=7'),
      settings(
        ...more,
        'extensions.query.allowed_hosts=[reading.example]',
        'processors.sample={keep_first: 3, keep_one_in: 5}',
        'receivers.otlp.join_window=2s',
        'exporters.otlp_http.headers={a: b}',
      ),
      // Refused.
      settings(
        'receivers.events.max_events_per_request=1',
        `receivers.events/taken.endpoint=127.0.0.1:${usedPort}`,
        'service.pipelines.events.receivers=[events, events/taken]',
      ),
      settings(),
    ];
    const { service, eventsUrl } = await startService(settings());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = async (): Promise<number | undefined> => {
      const sent = request(eventsUrl, { method: 'POST', agent });
      sent.end(JSON.stringify(serverPayload()));
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    };
    const reloadAll = async (): Promise<string[]> => {
      const ended: string[] = [];
      for (const variant of variants) {
        const reload = service.reload(variant).then(
          () => 'done',
          ({ code }) => code,
        );
        expect(await send()).toBe(200);
        ended.push(await reload);
      }
      return ended;
    };
    try {
      await reloadAll();
      const before = leftovers();
      for (let round = 0; round < 4; round++) {
        expect(await reloadAll()).toEqual(['done', 'done', 'done', 'RELOAD_REFUSED', 'done']);
      }
      await waitFor(`no more than ${JSON.stringify(before)}`, () => {
        const more = Object.entries(leftovers()).filter(([what, count]) => count > (before[what] ?? 0));
        if (more.length > 0) throw new Error(more.join());
        return true;
      });
      expect(warnings).toEqual([]);
    } finally {
      agent.destroy();
      await service.shutdown();
      holder.close();
      process.off('warning', onWarning);
    }
  });
});
