import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  endAfterTests,
  FAULTLINE,
  killLeftoverProcesses,
  startCollector,
  startFaultline,
  stop,
} from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  killLeftoverTerminals();
  await removeTemporaryFolders();
});

/** Node prints this when its debugger opens a port. */
const DEBUGGER = 'Debugger listening';

function sendUserSignals(pid: number | undefined): void {
  if (pid === undefined) throw new Error('the command did not start');
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.kill(pid, signal);
}

describe('SIGUSR1 and SIGUSR2 do nothing', () => {
  it('to a collector that stores events', async () => {
    const collector = await startCollector(await temporaryFolder());
    for (let round = 0; round < 3; round += 1) {
      sendUserSignals(collector.child.pid);
      const body = JSON.stringify(kindOfFailure(round));
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${collector.ingestUrl}/v1/events`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
    }
    const { code, stderr } = await stop(collector);
    expect(code).toBe(0);
    expect(stderr).not.toContain(DEBUGGER);
  });

  it('to a collector that reads its configuration', async () => {
    const config = join(await temporaryFolder(), 'config.yaml');
    execFileSync('mkfifo', [config]);
    const collector = startFaultline(['collect', '--config', config]);
    // Opens only once the collector reads it.
    const pipe = await waitFor('the collector to read its configuration', () =>
      open(config, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined),
    );
    sendUserSignals(collector.child.pid);
    await pipe.writeFile('receivers: 7\n');
    await pipe.close();
    const { code, stderr } = await collector.finished;
    expect(code).toBe(1);
    expect(stderr).toContain('receivers');
    expect(stderr).not.toContain(DEBUGGER);
  });

  it('to an MCP server', async () => {
    const { queryUrl, ...collector } = await startCollector(await temporaryFolder());
    const server = endAfterTests(spawn(process.execPath, [FAULTLINE, 'mcp', '--url', queryUrl], { stdio: 'pipe' }));
    let output = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const ask = async (id: number): Promise<void> => {
      const before = output.length;
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
      await waitFor('an answer', () => output.length > before);
    };
    await ask(1);
    sendUserSignals(server.pid);
    await ask(2);
    expect(output).not.toContain(DEBUGGER);
    const ended = once(server, 'exit');
    server.stdin.end();
    await ended;
    await stop(collector);
  });

  it('to a terminal', async () => {
    const { queryUrl, ...collector } = await startCollector(await temporaryFolder());
    const terminal = openPseudoTerminal(['browse', '--url', queryUrl]);
    await terminal.see('?');
    sendUserSignals(terminal.process.pid);
    terminal.type('?');
    await terminal.see('Help');
    expect(terminal.output()).not.toContain(DEBUGGER);
    terminal.type('q');
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    await stop(collector);
  });
});
