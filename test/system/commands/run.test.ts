import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { openBodyServer } from '../../helpers/body-server.js';
import {
  endAfterTests,
  FAULTLINE,
  killLeftoverProcesses,
  runFaultline,
  startCollector,
  startFaultline,
  stop,
} from '../../helpers/faultline-process.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  killLeftoverTerminals();
  await removeTemporaryFolders();
});

/** Writes a Node program to a temporary folder and returns its path. */
async function script(code: string): Promise<string> {
  const file = join(await temporaryFolder(), 'till.mjs');
  await writeFile(file, code);
  return file;
}

/** A URL without a collector: programs run, and nothing is collected. */
const NO_COLLECTOR = '--url=http://127.0.0.1:9';

function startRaw(args: readonly string[]): ChildProcessByStdio<Writable, Readable, Readable> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return endAfterTests(spawn(process.execPath, [FAULTLINE, 'run', ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] }));
}

describe('faultline run: the program', () => {
  it.each([0, 1, 3, 255])('exits with the exit code of the program: %d', async (code) => {
    const data = await temporaryFolder();
    const done = await runFaultline(['run', '--data', data, '--', 'sh', '-c', `exit ${code}`]);
    expect(done).toEqual({ code, signal: null, stdout: '', stderr: '' });
  });

  it('exits by the signal that ended the program, or with 128 and its number if a core file is written', async () => {
    const data = await temporaryFolder();
    const end = (signal: string) => runFaultline(['run', '--data', data, '--', 'sh', '-c', `kill -${signal} $$`]);
    expect(await end('KILL')).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await end('SEGV')).toMatchObject({ code: 139, signal: null });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const)(
    'forwards %s, and stores no event for a program that it stops',
    async (signal) => {
      const data = await temporaryFolder();
      const file = await script(
        `process.on('${signal}', () => { console.log('got it'); process.exit(${signal === 'SIGWINCH' ? 0 : 7}); });
         setInterval(() => {}, 1000); console.log('ready');`,
      );
      const run = startFaultline(['run', '--data', data, '--', process.execPath, file]);
      await waitFor('the program', () => run.output.stdout.includes('ready'));
      run.child.kill(signal);
      const done = await run.finished;
      expect(done.stdout).toBe('ready\ngot it\n');
      expect(done.code).toBe(signal === 'SIGWINCH' ? 0 : 7);
      // SIGUSR1 and SIGUSR2 do not stop a program, so exit code 7 is a failure.
      expect(await storedPayloads(data)).toHaveLength(signal.startsWith('SIGUSR') ? 1 : 0);
    },
  );

  it('forwards the bytes of both streams unchanged, also without newlines', async () => {
    const file = await script(
      `import { randomBytes, createHash } from 'node:crypto'; import { writeSync } from 'node:fs';
       const sums = [1, 2].map((fd) => { const sum = createHash('sha256');
         for (let i = 0; i < 40; i += 1) { const some = randomBytes(65_537); sum.update(some);
           for (let at = 0; at < some.length;) at += writeSync(fd, some, at); }
         return sum.digest('hex'); });
       writeSync(1, Buffer.alloc(8 * 1024 * 1024, 'x')); writeSync(1, sums.join(' '));`,
    );
    const run = startRaw([NO_COLLECTOR, '--', process.execPath, file]);
    const [out, err] = await Promise.all(
      [run.stdout, run.stderr].map(async (stream) => Buffer.concat(await stream.toArray())),
    );
    const tail = out?.subarray(-129).toString() ?? '';
    const sumOf = (bytes: Buffer | undefined) =>
      createHash('sha256')
        .update(bytes ?? '')
        .digest('hex');
    expect(`${sumOf(out?.subarray(0, 40 * 65_537))} ${sumOf(err)}`).toBe(tail);
    expect(out?.length).toBe(40 * 65_537 + 8 * 1024 * 1024 + 129);
  });

  it('forwards output at once, and input to the program', async () => {
    const file = await script(
      `process.stdout.write('name? '); process.stdin.once('data', (name) => { process.stderr.write('hello ' + name); process.exit(); });`,
    );
    const run = startRaw([NO_COLLECTOR, '--', process.execPath, file]);
    const [question] = await run.stdout.take(1).toArray();
    expect(String(question)).toBe('name? ');
    run.stdin.end('Ada');
    expect(Buffer.concat(await run.stderr.toArray()).toString()).toBe('hello Ada');
  });

  it('gives the program output streams that it can open as files, and that close when their reader closes', async () => {
    const done = await runFaultline([
      'run',
      NO_COLLECTOR,
      '--',
      'sh',
      '-c',
      'echo a > /dev/stdout; echo b > /dev/stderr',
    ]);
    expect(done).toMatchObject({ code: 0, stdout: 'a\n', stderr: 'b\n' });
    const data = await temporaryFolder();
    const run = startRaw(['--data', data, '--', 'yes']);
    const ended = new Promise((resolve) => run.on('close', (code, signal) => resolve({ code, signal })));
    run.stdout.once('data', () => run.stdout.destroy());
    expect(await ended).toEqual({ code: 141, signal: null });
    expect(await storedPayloads(data)).toEqual([]);
  });

  it('exits with 127 for a missing program, 126 for one that is not executable, and 2 for invalid options', async () => {
    const file = await script('');
    await chmod(file, 0o644);
    expect(await runFaultline(['run', '--', 'no-such-program'])).toEqual({
      code: 127,
      signal: null,
      stdout: '',
      stderr: 'faultline: no-such-program: command not found\n',
    });
    expect(await runFaultline(['run', '--', file])).toMatchObject({
      code: 126,
      stderr: `faultline: ${file} is not executable\n`,
    });
    expect(await runFaultline(['run'])).toMatchObject({ code: 2 });
    expect(await runFaultline(['run', '--url', 'nonsense', '--', 'true'])).toMatchObject({ code: 2 });
    expect(await runFaultline(['run', NO_COLLECTOR, '--data', 'd', '--', 'true'])).toMatchObject({ code: 2 });
  });

  it('forwards arguments unchanged', async () => {
    const words = ['--help', '-', '012', '1e3', '', 'a b', '--', '--no-x=1'];
    const file = await script('console.log(JSON.stringify(process.argv.slice(2)))');
    const done = await runFaultline(['run', NO_COLLECTOR, '--', process.execPath, file, ...words]);
    expect(JSON.parse(done.stdout)).toEqual(words);
  });
});

describe('faultline run: what is collected', () => {
  it('stores a trace once, with the exit code and the given names', async () => {
    const data = await temporaryFolder();
    const file = await script('console.log("open"); throw new RangeError("drawer 4 is stuck");');
    const names = ['--app', 'shop', '--service', 'till', '--env', 'test', '--release', 'v2'];
    const done = await runFaultline(['run', ...names, '--data', data, '--', process.execPath, file]);
    expect(done).toMatchObject({ code: 1, stdout: 'open\n' });
    expect(done.stderr).not.toContain('faultline:');
    expect(await storedPayloads(data)).toEqual([
      expect.objectContaining({
        app: 'shop',
        service: 'till',
        env: 'test',
        release: 'v2',
        error_name: 'RangeError',
        message: 'drawer 4 is stuck',
        stack: expect.stringContaining('till.mjs:1'),
        tags: { source: 'run', stream: 'stderr', pid: expect.stringMatching(/^\d+$/) },
        extra: {
          run: expect.objectContaining({ format: 'node', exit_code: 1, command: expect.stringContaining('till.mjs') }),
        },
      }),
    ]);
  });

  it('stores a trace of a running program before the program exits', async () => {
    const data = await temporaryFolder();
    const file = await script(`console.error(new TypeError('a warning').stack); setInterval(() => {}, 1000);`);
    const run = startFaultline(['run', '--data', data, '--', process.execPath, file], {
      env: { NODE_ENV: '', FAULTLINE_ENV: '' },
    });
    const [event] = await waitFor('the event', async () => {
      const events = await storedPayloads(data);
      return events.length > 0 && events;
    });
    expect(event).toMatchObject({ error_name: 'TypeError', env: 'development' });
    expect(await stop(run)).toMatchObject({ signal: 'SIGTERM' });
    expect(await storedPayloads(data)).toHaveLength(1);
  });

  it('stores one event with the last lines for a program that fails without a trace', async () => {
    const data = await temporaryFolder();
    const code = 'for i in $(seq 1 60); do echo line $i; done; printf "no coins" >&2; exit 3';
    await runFaultline(['run', '--data', data, '--', 'sh', '-c', code]);
    const [event, ...others] = await storedPayloads(data);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      error_name: 'ProcessExit',
      message: 'no coins',
      level: 'fatal',
      app: 'sh',
      service: 'sh',
    });
    const { last_lines: lines, exit_code: exitCode } = JSON.parse(JSON.stringify(event)).extra.run;
    expect(exitCode).toBe(3);
    expect(lines).toHaveLength(50);
    expect(lines).toEqual(expect.arrayContaining(['line 60', 'no coins']));
  });

  it('masks secrets of the command line and of the output', async () => {
    const data = await temporaryFolder();
    const key = ['-----BEGIN PRIVATE KEY-----', 'RkFLRWZha2VGQUtF', '-----END PRIVATE KEY-----'].join('\\n');
    const code = `printf 'DB_PASSWORD=Fake1\n${key}\n'; exit 3`;
    const words = ['--password=Fake2', '--token', 'Fake3 with blanks', 'postgres://ada:Fake4@db/shop'];
    await runFaultline(['run', '--data', data, '--', 'sh', '-c', code, ...words]);
    const trace = await script('throw new RangeError("login of ada: password=Fake5");');
    await runFaultline(['run', '--data', data, '--app', 'shop', '--', process.execPath, trace, '--pass=Fake6xy']);
    const events = await storedPayloads(data);
    expect(events.map((event) => event['error_name']).sort()).toEqual(['ProcessExit', 'RangeError']);
    expect(events.filter((event) => /Fake\d|RkFLRW|with blanks/.test(JSON.stringify(event)))).toEqual([]);
    const exit = events.find((event) => event['error_name'] === 'ProcessExit');
    expect(JSON.parse(JSON.stringify(exit)).extra.run).toMatchObject({
      command: expect.stringContaining('--password=**** --token "****" postgres://ada:****@db/shop'),
      last_lines: expect.arrayContaining(['DB_PASSWORD=****']),
    });
  });

  it('stores one event for a program that was killed', async () => {
    const data = await temporaryFolder();
    await runFaultline(['run', '--data', data, '--', 'sh', '-c', 'kill -KILL $$']);
    expect(await storedPayloads(data)).toEqual([
      expect.objectContaining({
        error_name: 'ProcessKilled',
        message: 'sh was killed by SIGKILL',
        extra: { run: expect.objectContaining({ signal: 'SIGKILL', last_lines: [] }) },
      }),
    ]);
  });

  it('passes the address of its own collector to the SDKs of the program, and names their events', async () => {
    const data = await temporaryFolder();
    const sentry = createRequire(import.meta.url).resolve('sentry-node-10');
    const file = await script(
      `import { createRequire } from 'node:module';
       const Sentry = createRequire(import.meta.url)(${JSON.stringify(sentry)});
       Sentry.init({}); Sentry.captureException(new RangeError('by an SDK')); await Sentry.flush(10_000);
       const { OTEL_EXPORTER_OTLP_ENDPOINT: otlp, OTEL_SERVICE_NAME: service } = process.env;
       const answer = await fetch(otlp + '/v1/logs', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
       console.log(service, answer.status);`,
    );
    const names = ['--app', 'a$b', '--service', 'till', '--env', 'test', '--release', 'v3'];
    const done = await runFaultline(['run', ...names, '--data', data, '--', process.execPath, file], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: undefined, SENTRY_DSN: undefined },
    });
    expect(done).toMatchObject({ code: 0, stdout: 'till 200\n', stderr: '' });
    expect(await storedPayloads(data)).toEqual([
      expect.objectContaining({ app: 'a$b', service: 'till', env: 'test', release: 'v3', message: 'by an SDK' }),
    ]);
  });

  it('sends to the collector of FAULTLINE_URL, which the program inherits', async () => {
    const data = await temporaryFolder();
    const collector = await startCollector(data);
    const file = await script('console.log(process.env.FAULTLINE_URL); process.exit(4)');
    const run = ['run', '--', process.execPath, file];
    const done = await runFaultline(run, { env: { FAULTLINE_URL: collector.ingestUrl } });
    expect(done).toEqual({ code: 4, signal: null, stdout: `${collector.ingestUrl}\n`, stderr: '' });
    expect(await storedPayloads(data)).toEqual([expect.objectContaining({ error_name: 'ProcessExit' })]);

    const locked = await runFaultline(['run', '--data', data, '--', 'sh', '-c', 'echo on; exit 5']);
    expect(locked).toMatchObject({ code: 5, stdout: 'on\n' });
    expect(locked.stderr).toMatch(/^faultline: not collecting: The data folder is in use by process \d+ .*--url\.\n$/);
    await stop(collector);
  });

  it('repeats a request that a collector refused with 503, with the same idempotency key', async () => {
    const keys: unknown[] = [];
    const bodies: string[] = [];
    const server = await openBodyServer((body, request, response) => {
      const { 'idempotency-key': key } = request.headers;
      if (key === undefined) {
        response.writeHead(404).end();
        return;
      }
      keys.push(key);
      bodies.push(body.toString('utf8'));
      if (keys.length < 3) response.writeHead(503).end();
      else response.end('{"accepted":1,"rejected":[]}');
    });
    const done = await runFaultline(['run', `--url=${server.url}`, '--', 'sh', '-c', 'exit 6']);
    await server.close();
    expect(done).toEqual({ code: 6, signal: null, stdout: '', stderr: '' });
    expect(new Set(keys).size).toBe(1);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it('reports the number of lost events if the collector is unreachable, and exits like the program', async () => {
    const done = await runFaultline(['run', NO_COLLECTOR, '--', 'sh', '-c', 'exit 6']);
    expect(done).toMatchObject({ code: 6, stdout: '' });
    expect(done.stderr).toMatch(/^faultline: 1 event lost: [^\n]*\n$/);
  });
});

describe('faultline run: a terminal', () => {
  it('gives the program a terminal of the same size, and forwards keys, a new size and Ctrl-C', async () => {
    const data = await temporaryFolder();
    const file = await script(
      `const { stdin, stdout, stderr } = process;
       console.log([stdin.isTTY, stdout.isTTY, stderr.isTTY, stdout.columns, stdout.rows].join(' '));
       stdout.on('resize', () => console.log('now ' + stdout.columns));
       stdin.on('data', (line) => console.log('typed ' + line));`,
    );
    const terminal = openPseudoTerminal(['run', '--data', data, '--', process.execPath, file], {
      columns: 70,
      rows: 20,
    });
    await terminal.see('true true true 70 20');
    terminal.type('abc\r');
    await terminal.see('typed abc');
    terminal.resize(66, 20);
    await terminal.see('now 66');
    terminal.type('\u0003');
    expect(await terminal.exit).toMatchObject({ signal: 2 });
    expect(await storedPayloads(data)).toEqual([]);
  });

  it('collects from a terminal, and restores its modes', async () => {
    const data = await temporaryFolder();
    const file = await script('process.stdin.setRawMode(true); throw new RangeError("on a terminal")');
    const inner = ['run', '--data', data, '--', process.execPath, file].map((word) => `'${word}'`).join(' ');
    const shell = `stty -a > before; '${process.execPath}' '${FAULTLINE}' ${inner}; echo "code $?"; stty -a > after; cmp before after && echo same`;
    const terminal = openPseudoTerminal(['run', '--data', join(data, 'outer'), '--', 'sh', '-c', shell], {
      columns: 200,
      cwd: data,
    });
    await terminal.see('code 1');
    await terminal.see('same');
    await terminal.exit;
    expect(await storedPayloads(data)).toEqual([
      expect.objectContaining({ message: 'on a terminal', tags: expect.objectContaining({ stream: 'terminal' }) }),
    ]);
  });
});
