import { execFileSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, readlink, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../../core/event/fault.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { errorLine, FollowedLogs } from './followed-logs.js';

const running: FollowedLogs[] = [];

async function makeLogs(): Promise<FollowedLogs> {
  const logs = await FollowedLogs.make();
  running.push(logs);
  return logs;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((logs) => logs.stop()));
});
afterAll(removeTemporaryFolders);

const PYTHON_TRACE = [
  'Traceback (most recent call last):',
  '  File "/srv/app.py", line 3, in run',
  '    start()',
  'ValueError: no start',
];

/** Names of files that this process holds open. */
async function openFiles(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(folder));
}

describe('a failure in a log file', () => {
  it('becomes a payload with its place in the file and names from the file', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', `started\n${errorLine('no route')}`);
    await logs.expectMessages('no route');
    const [payload] = logs.payloads;
    expect(payload).toMatchObject({
      app: 'api',
      service: 'api',
      env: 'production',
      tags: { source: 'file_log', 'log.file.name': 'api.log' },
    });
    const source = payload?.extra?.['file_log'];
    const line = errorLine('no route');
    expect(source).toMatchObject({ path: logs.path('api.log'), from: 8, to: 8 + line.length, format: 'json' });
    expect(source).toHaveProperty('file', expect.stringMatching(/^\d+-\d+-[0-9a-f]{12}$/));
    expect(logs.ledger.snapshot()['file_log']).toMatchObject({ received: 1, stored: 1 });
  });

  it('has the names of its own line first, then those of the settings', async () => {
    const logs = await makeLogs();
    await logs.start({ defaults: { app: 'shop', service: 'cart', env: 'staging' } });
    await logs.write(
      'api.log',
      `${errorLine('one')}${JSON.stringify({ level: 'error', msg: 'two', service: 'pay' })}\n`,
    );
    await logs.expectMessages('one', 'two');
    expect(logs.payloads.map(({ app, service, env }) => [app, service, env])).toEqual([
      ['shop', 'cart', 'staging'],
      ['shop', 'pay', 'staging'],
    ]);
  });

  it('may be a stack trace of many lines, even if they are written one by one', async () => {
    const logs = await makeLogs();
    await logs.start({ force_flush_period: '5s' });
    for (const line of [...PYTHON_TRACE, 'INFO going on', 'INFO going on']) {
      await logs.append('api.log', `${line}\n`);
    }
    await logs.expectMessages('no start');
    expect(logs.payloads[0]).toMatchObject({ error_name: 'ValueError' });
    expect(logs.payloads[0]?.stack).toContain('line 3, in run');
  });

  it('is forwarded if nothing follows it for long enough', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', `${PYTHON_TRACE.join('\n')}\n`);
    await logs.expectMessages('no start');
  });

  it('is accepted only from the configured level on', async () => {
    const logs = await makeLogs();
    await logs.start({ min_severity: 'warn' });
    await logs.write(
      'api.log',
      '{"level":"info","msg":"a"}\n{"level":"warn","msg":"b"}\n{"level":"fatal","msg":"c"}\n',
    );
    await logs.expectMessages('b', 'c');
  });
});

describe('the start position', () => {
  it('is the end of files that exist at the first start, and the start of later ones', async () => {
    const logs = await makeLogs();
    await logs.write('old.log', errorLine('before'));
    await logs.start({ start_at: 'end' });
    await logs.append('old.log', errorLine('after'));
    await logs.expectMessages('after');
    await logs.write('new.log', errorLine('in a new file'));
    await logs.expectMessages('after', 'in a new file');
  });

  it('is the position at which the last process stopped, and the start of files created since', async () => {
    const logs = await makeLogs();
    await logs.write('api.log', errorLine('one'));
    await logs.start({ start_at: 'end' });
    await logs.append('api.log', errorLine('two'));
    await logs.expectMessages('two');
    await logs.stop();
    await logs.append('api.log', errorLine('three'));
    await logs.write('new.log', errorLine('four'));
    await logs.start({ start_at: 'end' });
    await waitFor('both', () => logs.messages.length >= 3);
    expect(logs.messages.sort()).toEqual(['four', 'three', 'two']);
  });

  it('is the start of a trace that was half written when the process ended', async () => {
    const logs = await makeLogs();
    await logs.start({ force_flush_period: '1m' });
    await logs.write('api.log', `${errorLine('one')}${PYTHON_TRACE.slice(0, 2).join('\n')}\n`);
    await logs.expectMessages('one');
    await logs.stop();
    await logs.append('api.log', `${PYTHON_TRACE.slice(2).join('\n')}\n`);
    await logs.start();
    await logs.expectMessages('one', 'no start');
    expect(logs.payloads[1]?.stack).toContain('Traceback');
  });

  it('is the start of every file if the checkpoint is damaged or of a newer version, with a warning', async () => {
    for (const damage of [
      '{"file_log_checkpoint":1,"crc32c":5}\n{"files":[],"pending":[]}\n',
      '{"file_log_checkpoint":2,"crc32c":5}\nx\n',
      '',
      'nonsense',
    ]) {
      const logs = await makeLogs();
      await logs.start({ start_at: 'end' });
      await logs.stop();
      await logs.write('api.log', errorLine('one'));
      await writeFile(logs.checkpointPath, damage);
      await logs.start({ start_at: 'end' });
      await logs.expectMessages('one');
      expect(logs.warnings()).toHaveLength(1);
      const names = await readdir(join(logs.folder, 'storage', 'file_log'));
      const aside = names.find((name) => name.includes('unusable'));
      expect(await readFile(join(logs.folder, 'storage', 'file_log', String(aside)), 'utf8')).toBe(damage);
      await logs.stop();
    }
  });
});

describe('rotation', () => {
  it('by renaming reads the rest of the old file under a name that no pattern matches, then the new file', async () => {
    const logs = await makeLogs();
    let isHeld = true;
    await logs.start();
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one');
    logs.consumer.before = () => {
      if (isHeld) throw new Fault('STORE_UNAVAILABLE', 'full', { retryable: true });
    };
    await logs.append('api.log', errorLine('two'));
    await waitFor('a refusal', () => (logs.ledger.snapshot()['file_log']?.refused ?? 0) > 0);
    await logs.append('api.log', errorLine('three'));
    await rename(logs.path('api.log'), logs.path('api.log.1'));
    await logs.append('api.log.1', errorLine('four'));
    await logs.write('api.log', errorLine('five'));
    isHeld = false;
    await logs.expectMessages('one', 'two', 'three', 'four', 'five');
  });

  it('by renaming to a name that a pattern matches reads nothing twice', async () => {
    const logs = await makeLogs();
    await logs.start({ include: [join(logs.folder, 'logs', '*')] });
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one');
    await rename(logs.path('api.log'), logs.path('api.log.1'));
    await logs.append('api.log.1', errorLine('two'));
    await logs.expectMessages('one', 'two');
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one', 'two', 'one');
  });

  it('by renaming while no process ran loses nothing of the old file', async () => {
    const logs = await makeLogs();
    await logs.write('api.log', errorLine('one'));
    await logs.start();
    await logs.expectMessages('one');
    await logs.stop();
    await logs.append('api.log', errorLine('two'));
    await rename(logs.path('api.log'), logs.path('api.log.1'));
    await logs.write('api.log', errorLine('three'));
    await logs.start();
    await logs.expectMessages('one', 'two', 'three');
  });

  it('closes a renamed file that does not grow any more', async () => {
    const logs = await makeLogs();
    await logs.start({}, { rotatedQuietMs: 20 });
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one');
    await rename(logs.path('api.log'), logs.path('api.log.1'));
    await waitFor('no open file', async () => (await openFiles(logs.path(''))).length === 0);
    await rename(logs.path('api.log.1'), logs.path('api.log'));
    await logs.append('api.log', errorLine('two'));
    await logs.expectMessages('one', 'two');
  });

  it('by truncation reads a file that became shorter from its start', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', `${errorLine('one')}${errorLine('two')}`);
    await logs.expectMessages('one', 'two');
    await truncate(logs.path('api.log'));
    await logs.append('api.log', errorLine('three'));
    await logs.expectMessages('one', 'two', 'three');
  });

  it('by truncation recognises a file by its content if it grew beyond its old end between two polls', async () => {
    const logs = await makeLogs();
    const banner = `${'welcome '.repeat(300)}\n`;
    await logs.start();
    await logs.write('api.log', `${banner}${errorLine('one')}`);
    await logs.expectMessages('one');
    await logs.stop();
    await truncate(logs.path('api.log'));
    await logs.append('api.log', `${banner}${errorLine('two')}${errorLine('three')}`);
    await logs.start();
    await logs.expectMessages('one', 'two', 'three');
    // The same while it is followed: one write replaces the content.
    await writeFile(logs.path('api.log'), `${banner}${errorLine('four')}${errorLine('five!')}${errorLine('six')}`, {
      flag: 'r+',
    });
    await logs.expectMessages('one', 'two', 'three', 'four', 'five!', 'six');
  });

  it('distinguishes equal failures at equal positions before and after truncation', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one');
    await truncate(logs.path('api.log'));
    await waitFor('the emptied file', async () => (await readFile(logs.checkpointPath, 'utf8')).includes('"offset":0'));
    await logs.append('api.log', errorLine('one'));
    await logs.expectMessages('one', 'one');
    const [first, second] = logs.payloads.map(({ extra }) => JSON.stringify(extra?.['file_log']));
    expect(first).not.toBe(second);
  });
});

describe('files that come and go', () => {
  it('closes a deleted file and reads one of the same name from its beginning', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one');
    await rm(logs.path('api.log'));
    await waitFor('no open file', async () => (await openFiles(logs.path(''))).length === 0);
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one', 'one');
  });

  it('finishes a trace whose file is deleted', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', `${PYTHON_TRACE.join('\n')}\n`);
    await waitFor('the file to be open', async () => (await openFiles(logs.path(''))).length === 1);
    await rm(logs.path('api.log'));
    await logs.expectMessages('no start');
  });

  it('reads a file with several names and links once', async () => {
    const logs = await makeLogs();
    await logs.write('a.log', errorLine('one'));
    await link(logs.path('a.log'), logs.path('b.log'));
    await symlink(logs.path('a.log'), logs.path('c.log'));
    await symlink(logs.path(''), logs.path('loop'));
    await logs.start({ include: [join(logs.folder, 'logs', '**', '*.log')] });
    await logs.append('c.log', errorLine('two'));
    await logs.expectMessages('one', 'two');
  });

  it('ignores folders, pipes and excluded files', async () => {
    const logs = await makeLogs();
    await mkdir(logs.path('folder.log'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', logs.path('pipe.log')]);
    await logs.write('noise.log', errorLine('noise'));
    await logs.start({ exclude: [logs.path('noise*')] });
    await logs.write('api.log', errorLine('one'));
    await logs.expectMessages('one');
    expect(logs.warnings()).toEqual([]);
  });

  it('follows no more files than its limit, logs that once, and follows another when one is deleted', async () => {
    const logs = await makeLogs();
    await logs.write('a.log', errorLine('a'));
    await logs.write('b.log', errorLine('b'));
    await logs.start({ max_files: 1 });
    await logs.expectMessages('a');
    expect(logs.warnings()).toMatchObject([{ path: logs.path('b.log'), reason: 'max_files' }]);
    await rm(logs.path('a.log'));
    await logs.expectMessages('a', 'b');
  });

  it('follows relative patterns and many files fairly', async () => {
    const logs = await makeLogs();
    await logs.start();
    const names = Array.from({ length: 100 }, (_, index) => `f${index}.log`);
    await Promise.all(names.map((name) => logs.write(name, errorLine(name))));
    await waitFor('all', () => logs.messages.length === 100);
    expect(new Set(logs.messages)).toEqual(new Set(names));
  });
});

describe('lines', () => {
  it('that are half written wait for their rest', async () => {
    const logs = await makeLogs();
    await logs.start({ force_flush_period: '1m' });
    const line = errorLine('größe');
    const bytes = Buffer.from(line);
    const cut = bytes.indexOf(0xc3) + 1;
    await logs.write('api.log', bytes.subarray(0, cut));
    await waitFor('the file to be open', async () => (await openFiles(logs.path(''))).length === 1);
    await logs.append('api.log', bytes.subarray(cut));
    await logs.expectMessages('größe');
  });

  it('without their newline are read after a delay, once, also across a restart', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', errorLine('one').trimEnd());
    await logs.expectMessages('one');
    await logs.stop();
    await logs.append('api.log', `\n${errorLine('two')}`);
    await logs.start();
    await logs.expectMessages('one', 'two');
  });

  it('end in CR LF or LF, and may hold invalid UTF-8, NUL bytes and a byte order mark', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write(
      'api.log',
      Buffer.concat([
        Buffer.from(`\uFEFF${errorLine('one').trimEnd()}\r\n`),
        Buffer.from('{"level":"error","msg":"t\xffo"}\n', 'latin1'),
        Buffer.alloc(100_000),
        Buffer.from(errorLine('after a hole')),
        Buffer.from('{"level":"error","msg":"z\u0000"}\n'),
        Buffer.from(errorLine('last')),
      ]),
    );
    await waitFor('the last', () => logs.messages.includes('last'));
    expect(logs.messages.slice(0, 3)).toEqual(['one', 't\uFFFDo', 'after a hole']);
  });

  it('above the limit are cut, and what follows is read', async () => {
    const logs = await makeLogs();
    await logs.start({ max_log_size: '1KiB' });
    const trace = [...PYTHON_TRACE.slice(0, 3), `ValueError: ${'x'.repeat(300_000)}`];
    await logs.write('api.log', `${trace.join('\n')}\n${errorLine('next')}`);
    await waitFor('both', () => logs.messages.length === 2);
    expect(logs.messages[0]).toHaveLength(1_024 - 'ValueError: '.length);
    expect(logs.messages[1]).toBe('next');
  });

  it('of UTF-16 or compressed files are not read, with a warning', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('wide.log', Buffer.from(`\uFEFF${errorLine('wide')}`, 'utf16le'));
    await logs.write('packed.log', Buffer.from([0x1f, 0x8b, 8, 0]));
    await waitFor('two warnings', () => logs.warnings().length === 2);
    await logs.write('wide.log', errorLine('narrow'));
    await logs.expectMessages('narrow');
  });
});

describe('when the pipeline refuses', () => {
  it('tries the same records again and skips nothing', async () => {
    const logs = await makeLogs();
    let refusals = 0;
    logs.consumer.before = () => {
      if (refusals++ < 5) throw new Fault('STORE_UNAVAILABLE', 'full', { retryable: true });
    };
    await logs.start();
    await logs.write('api.log', `${errorLine('one')}${errorLine('two')}`);
    await waitFor('a refusal', () => refusals > 1);
    await logs.append('api.log', errorLine('three'));
    await logs.expectMessages('one', 'two', 'three');
    expect(logs.warnings()).toHaveLength(1);
  });

  it('drops only the one record that is permanently refused', async () => {
    const logs = await makeLogs();
    logs.consumer.before = ({ events }) => {
      if (events.some(({ payload }) => payload.message === 'poison')) throw new Error('cannot');
    };
    await logs.start();
    await logs.write('api.log', `${errorLine('one')}${errorLine('poison')}${errorLine('two')}`);
    await logs.expectMessages('one', 'two');
    expect(logs.ledger.snapshot()['file_log']?.stored).toBe(2);
  });

  it('stops at a shutdown, and the next process forwards what was refused', async () => {
    const logs = await makeLogs();
    let isRefusing = true;
    logs.consumer.before = () => {
      if (isRefusing) throw new Fault('STORE_UNAVAILABLE', 'full', { retryable: true });
    };
    await logs.start({}, { waits: { firstMs: 3_600_000, longestMs: 3_600_000 } });
    await logs.write('api.log', errorLine('one'));
    await waitFor('a refusal', () => (logs.ledger.snapshot()['file_log']?.refused ?? 0) > 0);
    await logs.stop();
    await rm(logs.path('api.log'));
    isRefusing = false;
    await logs.start();
    await logs.expectMessages('one');
  });

  it('limits the number of events that are forwarded in one batch', async () => {
    const logs = await makeLogs();
    const text = Array.from({ length: 1_200 }, (_, index) => errorLine(`m${index} ${'x'.repeat(50)}`)).join('');
    await logs.write('api.log', text);
    await logs.start();
    await waitFor('all', () => logs.messages.length === 1_200);
    expect(logs.messages.map((message) => message.split(' ')[0])).toEqual(
      Array.from({ length: 1_200 }, (_, index) => `m${index}`),
    );
    expect(Math.max(...logs.consumer.batches.map(({ events }) => events.length))).toBeLessThanOrEqual(500);
  });
});

describe('the folder of the checkpoints', () => {
  it('is refused to a second collector, and released by a shutdown', async () => {
    const logs = await makeLogs();
    await logs.start();
    await expect(logs.build().start()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await logs.stop();
    await logs.start();
  });

  it('serves several receivers of one collector', async () => {
    const logs = await makeLogs();
    await logs.start();
    const other = logs.build({}, { id: 'file_log/../other' });
    await other.start();
    await other.shutdown();
    expect(await readdir(join(logs.folder, 'storage'))).toEqual(
      expect.arrayContaining(['file_log', 'file_log%2F..%2Fother']),
    );
  });

  it('that cannot be written stops the start', async () => {
    const logs = await makeLogs();
    await writeFile(join(logs.folder, 'storage'), 'a file');
    await expect(logs.build().start()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
