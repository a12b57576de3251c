import { post } from '../../collector/post.js';
import { killLeftoverProcesses, type RunningCollector, startCollector, stop } from '../../helpers/faultline-process.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverTerminals();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const DOWN = '\u001b[B';
const ENTER = '\r';
const ESCAPE = '\u001b';

async function send(collector: RunningCollector, body: unknown): Promise<void> {
  expect((await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(body))).status).toBe(200);
}

describe('faultline browse in a terminal of 80x24', () => {
  it('opens the events of an issue and the details of an event, and goes back', async () => {
    const collector = await startCollector(await temporaryFolder());
    await send(collector, [serverPayload(), serverPayload({ user_id: 'u-8' }), kindOfFailure(5)]);
    const terminal = openPseudoTerminal(['browse', '--url', collector.queryUrl]);
    await terminal.see('ValidationError');
    await terminal.see(`Failure${'F'}Error`);
    terminal.type('s');
    await terminal.see('── Sort');
    terminal.type('c');
    const byCount = await terminal.see('EVENTS▾');
    expect(byCount.find((row) => row.startsWith('›'))).toContain('ValidationError');
    expect(byCount.every((row) => row.length <= 80)).toBe(true);
    terminal.type(ENTER);
    await terminal.see('/api/v1/cart/lines');
    terminal.type(ENTER);
    await terminal.see(/Event [0-9a-f]{8}/);
    await terminal.see('Error Name');
    terminal.type('G');
    await terminal.see('"user_id"');
    terminal.type(ESCAPE);
    await terminal.see('1[Events');
    terminal.type(ESCAPE);
    await terminal.see('FailureFError');
    terminal.type('q');
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).toContain('\u001b[?1049h');
    expect(terminal.output().lastIndexOf('\u001b[?1049l')).toBeGreaterThan(
      terminal.output().lastIndexOf('\u001b[?1049h'),
    );
    expect(terminal.output().lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.output().lastIndexOf('\u001b[?25l'));
    await stop(collector);
  });

  it('keeps the selection on its issue while new issues arrive above it', async () => {
    const collector = await startCollector(await temporaryFolder());
    const at = (minute: number): string => new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
    await send(
      collector,
      [1, 2, 3, 4].map((kind) => kindOfFailure(kind, { timestamp: at(kind) })),
    );
    const terminal = openPseudoTerminal(['browse', '--url', collector.queryUrl]);
    await terminal.see('FailureEError');
    terminal.type(DOWN + DOWN);
    await terminal.see(/^› .*FailureCError/);
    await send(
      collector,
      [6, 7, 8].map((kind) => kindOfFailure(kind, { timestamp: at(kind), route: `/route-of-${kind}` })),
    );
    await terminal.see('3 new: g');
    await terminal.see(/^› .*FailureCError/);
    terminal.type(ENTER);
    const issue = (await terminal.see('1[Events')).join('\n');
    expect(issue).toContain('FailureCError');
    expect(issue).not.toContain('FailureIError');
    terminal.process.kill('SIGTERM');
    await terminal.exit;
    expect(terminal.output().lastIndexOf('\u001b[?1049l')).toBeGreaterThan(
      terminal.output().lastIndexOf('\u001b[?1049h'),
    );
    await stop(collector);
  });

  it('shows a message with escape sequences, clipboard writes, bidi marks and a megabyte of text without sending them to the terminal', async () => {
    const collector = await startCollector(await temporaryFolder());
    const hostile = `\u001b[2J\u001b[31mred\u001b]52;c;aGFja2Vk\u0007\u009b5n\u202egnorw\u2066 \u0007\u0000\r\nsecond ${'x'.repeat(1_000_000)}`;
    await send(
      collector,
      serverPayload({
        error_name: 'HostileError',
        message: hostile,
        tags: { [`\u001b[5mkey`]: '\u001b]0;title\u0007' },
        route: '/\u001b[A',
      }),
    );
    const terminal = openPseudoTerminal(['browse', '--url', collector.queryUrl]);
    await terminal.see('HostileError');
    terminal.type(ENTER);
    await terminal.see(' 422 ');
    terminal.type(ENTER);
    await terminal.see(/Event [0-9a-f]{8}/);
    terminal.type('G');
    await terminal.see('"user_id"');
    const written = terminal.output();
    expect(written).not.toContain('\u001b]52');
    expect(written).not.toContain('\u001b]0;');
    expect(written).not.toContain('\u001b[31mred');
    expect(written).not.toContain('\u001b[5mkey');
    expect(written).not.toMatch(/[\u0007\u0080-\u009f\u202e\u2066]/);
    terminal.type('q');
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    await stop(collector);
  });

  it('shows that the connection is lost, keeps its data, and reconnects', async () => {
    const directory = await temporaryFolder();
    const first = await startCollector(directory, ['--set=extensions.query.endpoint=127.0.0.1:0']);
    await send(first, serverPayload());
    const terminal = openPseudoTerminal(['browse', '--url', first.queryUrl]);
    await terminal.see('ValidationError');
    await stop(first);
    await terminal.see(/lost|gone|unreachable|retry/i);
    await terminal.see('ValidationError');
    const port = new URL(first.queryUrl).port;
    const second = await startCollector(directory, [`--set=extensions.query.endpoint=127.0.0.1:${port}`]);
    await send(second, kindOfFailure(9));
    await terminal.see('FailureJError');
    terminal.type('q');
    await terminal.exit;
    await stop(second);
  });

  it('shows how to send the first event to an empty store', async () => {
    const collector = await startCollector(await temporaryFolder());
    const terminal = openPseudoTerminal(['browse', '--url', collector.queryUrl]);
    await terminal.see('faultline send --url');
    terminal.type('q');
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    await stop(collector);
  });
});
