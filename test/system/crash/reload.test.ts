import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SteadySender } from '../../collector/reload/steady-sender.js';
import { storedRequestIds } from '../../collector/reload/stored-request-ids.js';
import { killLeftoverProcesses, startFaultline } from '../../helpers/faultline-process.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { reservePort } from '../../helpers/reserved-port.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  killLeftoverTerminals();
  await removeTemporaryFolders();
});

/** A configuration file that `configure` rewrites. */
async function configurationFile() {
  const [folder, port] = [await temporaryFolder(), await reservePort()];
  const file = join(folder, 'faultline.yaml');
  const configure = (receiver = '', store = '', pipeline = '') =>
    writeFile(
      file,
      [
        `receivers: { events: { endpoint: "127.0.0.1:${port}"${receiver} } }`,
        `exporters: { store: { directory: ${folder}/data${store} } }`,
        'processors: { memory_limiter: { limit_mib: 100000 } }',
        `service: { telemetry: { metrics: { level: none } }, pipelines: { events: { receivers: [events], exporters: [store]${pipeline} } } }`,
      ].join('\n'),
    );
  await configure();
  return { file, configure, data: `${folder}/data`, url: `http://127.0.0.1:${port}/v1/events` };
}

describe('SIGHUP to a collector', () => {
  it('applies the edited file without losing or rejecting an event, and ignores an invalid file', async () => {
    const { file, configure, data, url } = await configurationFile();
    const { child, output, finished } = startFaultline(['collect', '--config', file]);
    await waitFor('the start', () => output.stdout.includes('is collecting into'));
    const sender = new SteadySender(() => url, 'process');
    const edits = [
      [', max_events_per_request: 500'],
      [', max_events_per_request: 500', ', durability: os'],
      ['', ', durability: os', ', processors: [memory_limiter]'],
      [', max_event_per_request: 3'],
      [],
    ];
    for (const edit of edits) {
      const seen = output.stderr.length;
      const sent = sender.sent.length;
      await configure(...edit);
      child.kill('SIGHUP');
      await waitFor('the reload', () =>
        /configuration reloaded|configuration not reloaded/.test(output.stderr.slice(seen)),
      );
      await waitFor('more events', () => sender.sent.length > sent || sender.faults.length > 0);
    }
    await sender.stop();
    child.kill('SIGHUP');
    child.kill('SIGTERM');
    expect(await finished).toMatchObject({ code: 0, signal: null });
    expect(sender.faults).toEqual([]);
    expect(await storedRequestIds(data)).toEqual(sender.sent.toSorted());
    expect(output.stderr.match(/"configuration not reloaded,/g)).toHaveLength(1);
  });

  it('reloads a collector in a terminal, and stops it when the terminal is closed', async () => {
    const { file } = await configurationFile();
    const terminal = openPseudoTerminal(['collect', '--config', file], { columns: 200, rows: 50 });
    await terminal.see('is collecting into');
    terminal.process.kill('SIGHUP');
    await terminal.see('configuration reloaded');
    const { pid } = terminal.process;
    // Closes the master side, as closing a terminal window does.
    (terminal.process as unknown as { destroy(): void }).destroy();
    await waitFor('the collector to end', () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});
