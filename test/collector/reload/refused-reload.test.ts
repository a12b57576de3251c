import { once } from 'node:events';
import { mkdir, rename, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Fault } from '../../../core/event/fault.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { startService, statsOf, stopServices } from '../running-service.js';
import { LIMITER, onFixedPorts } from './fixed-ports.js';
import { SteadySender } from './steady-sender.js';
import { storedRequestIds } from './stored-request-ids.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

/** The fault with which a reload is refused. */
async function faultOf(reload: Promise<unknown>): Promise<Fault> {
  return await reload.then(
    () => Promise.reject(new Error('the reload was not refused')),
    (error: Fault) => error,
  );
}

describe('a refused reload', () => {
  it('changes nothing: a port that is in use', async () => {
    const { directory, settings } = await onFixedPorts();
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port: usedPort } = holder.address() as { port: number };
    const service = await startService(settings());
    const sender = new SteadySender(() => service.eventsUrl, 'refused');
    await waitFor('some events', () => sender.sent.length > 20);
    const bad = settings(
      ...LIMITER,
      `receivers.events/more.endpoint=127.0.0.1:${usedPort}`,
      'service.pipelines.events.receivers=[events, events/more]',
      'receivers.events.max_events_per_request=1',
      'exporters.store.durability=os',
      'exporters.store.retention.max_age=1h',
    );
    const fault = await faultOf(service.service.reload(bad));
    expect(fault.code).toBe('RELOAD_REFUSED');
    expect(fault.message).toContain(`receiver events/more did not start: cannot listen on 127.0.0.1:${usedPort}`);
    const before = sender.sent.length;
    await waitFor('more events', () => sender.sent.length > before + 20);
    await sender.stop();
    holder.close();
    expect(sender.faults).toEqual([]);
    expect(await storedRequestIds(directory)).toEqual(sender.sent.toSorted());
    expect(service.service.describe().exporters[0]?.keeps).toContain('30 days');
    expect(await service.service.reload(settings(...LIMITER))).toBe(true);
  });

  it.each(['a new store', 'the folder of a follower of files'])(
    'changes nothing: invalid folder of %s',
    async (what) => {
      const { settings } = await onFixedPorts();
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'file'), '');
      const service = await startService(settings());
      const bad = what.endsWith('store')
        ? settings(`exporters.store.directory=${folder}/file/data`, 'receivers.events.max_events_per_request=1')
        : settings(
            `receivers.file_log.include=[${folder}/*.log]`,
            `receivers.file_log.storage.directory=${folder}/file`,
            'service.pipelines.events.receivers=[events, file_log]',
            'exporters.store.durability=os',
          );
      expect((await faultOf(service.service.reload(bad))).code).toBe('RELOAD_REFUSED');
      expect((await post(service.eventsUrl, JSON.stringify([serverPayload(), serverPayload()]))).status).toBe(200);
      expect(await statsOf(service)).toMatchObject({ events: 2 });
      expect(await service.service.reload(settings())).toBe(false);
    },
  );

  it('of an unusable folder of a store refuses events until the next reload opens it again', async () => {
    const { directory, settings } = await onFixedPorts();
    const service = await startService(settings());
    const send = (id: string) => post(service.eventsUrl, JSON.stringify(serverPayload({ request_id: id })));
    expect((await send('before')).status).toBe(200);
    const file = join(directory, 'groupings.ndjson');
    await rename(file, `${file}-away`);
    await mkdir(file);
    expect((await faultOf(service.service.reload(settings('exporters.store.durability=os')))).code).toBe(
      'RELOAD_REFUSED',
    );
    expect((await send('meanwhile')).status).toBe(503);
    await rmdir(file);
    await rename(`${file}-away`, file);
    await service.service.reload(settings());
    expect((await send('after')).status).toBe(200);
    expect(await storedRequestIds(directory)).toEqual(['after', 'before']);
    expect((await statsOf(service)).events).toBe(2);
  });

  it('reports two components that claim one route', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const bad = settings(
      'receivers.events/twin.endpoint=127.0.0.1:0',
      'service.pipelines.events.receivers=[events, events/twin]',
    );
    expect((await faultOf(service.service.reload(bad))).message).toContain('both serve POST /v1/events');
    expect((await post(service.eventsUrl, JSON.stringify(serverPayload()))).status).toBe(200);
    // The name may move to another component.
    const twin = settings(
      'receivers.events/twin.endpoint=127.0.0.1:0',
      'service.pipelines.events.receivers=[events/twin]',
    );
    expect(await service.service.reload(twin)).toBe(true);
    expect((await post(service.eventsUrl, JSON.stringify(serverPayload()))).status).toBe(200);
  });

  it('is counted as refused, and the others as success', async () => {
    const { settings } = await onFixedPorts();
    const metrics = ['service.telemetry.metrics.level=normal', 'service.telemetry.metrics.address=127.0.0.2:0'];
    const service = await startService(settings(...metrics));
    await service.service.reload(settings(...metrics));
    await faultOf(service.service.reload(settings(...metrics, 'exporters.store.directory=/dev/null/x')));
    const text = await (await fetch(service.service.describe().metrics ?? '')).text();
    expect(text).toMatch(/faultline_config_reloads_total\{outcome="success"\} 1/);
    expect(text).toMatch(/faultline_config_reloads_total\{outcome="refused"\} 1/);
  });
});
