import { post } from '../collector/post.js';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

describe('a signal to faultline collect', () => {
  it('prints a command that sends it a failure, and keeps what it acknowledged when it is killed', async () => {
    const directory = await temporaryFolder();
    const first = await startCollector(directory);
    const words = /^Try it: +faultline (.*)$/m.exec(first.output.stdout)?.[1]?.split(' ') ?? [];
    expect(await runFaultline(words)).toMatchObject({ code: 0, stdout: expect.stringContaining(': stored.') });
    const acknowledged: string[] = [];
    let isKilled = false;
    const sender = async (): Promise<void> => {
      while (!isKilled) {
        const response = await post(`${first.ingestUrl}/v1/events`, JSON.stringify(kindOfFailure(7))).catch(
          () => undefined,
        );
        acknowledged.push(...(response?.body.events ?? []).map(({ event_id: id }) => id));
      }
    };
    const senders = [sender(), sender()];
    await waitFor('some responses', () => acknowledged.length > 50);
    await stop(first, 'SIGKILL');
    isKilled = true;
    await Promise.all(senders);

    const second = await startCollector(directory);
    for (const id of acknowledged.filter((_, index) => index % 10 === 0)) {
      expect((await fetch(`${second.queryUrl}/api/v1/events/${id}`)).status).toBe(200);
    }
    const stats = await (await fetch(`${second.queryUrl}/api/v1/stats`)).json();
    expect(stats.events).toBeGreaterThanOrEqual(acknowledged.length + 1);
    expect(await stop(second)).toMatchObject({ code: 0 });
  });

  it('applies its edited configuration at SIGHUP', async () => {
    const collector = await startCollector(await temporaryFolder());
    collector.child.kill('SIGHUP');
    await waitFor('the reload', () => collector.output.stderr.includes('configuration reloaded'));
    expect(await stop(collector, 'SIGINT')).toMatchObject({ code: 0, signal: null });
  });
});
