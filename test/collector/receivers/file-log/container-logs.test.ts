import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { errorLine, FollowedLogs } from './followed-logs.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/containers');
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

function dockerLine(log: string, stream = 'stderr', time = '2026-11-21T10:00:00.5Z'): string {
  return `${JSON.stringify({ log, stream, time })}\n`;
}

function criLine(text: string, tag = 'F', stream = 'stderr'): string {
  return `2026-11-21T10:00:00.5Z ${stream} ${tag} ${text}\n`;
}

const PYTHON_TRACE = [
  'Traceback (most recent call last):',
  '  File "/srv/app.py", line 3, in run',
  '    start()',
  'ValueError: no start',
];

/** What a test compares with a golden file. */
function summary(logs: FollowedLogs): object[] {
  return logs.payloads.map(({ error_name, message, stack, timestamp, tags, extra }) => {
    const { from, to, format } = (extra?.['file_log'] ?? {}) as Record<string, unknown>;
    return { error_name, message, stack, timestamp, stream: tags?.['log.iostream'], from, to, format };
  });
}

describe('a log of a container', () => {
  it.each(['docker-interleaved', 'docker-split', 'cri-partial'])(
    'is read as its golden file says: %s',
    async (name) => {
      const content = await readFile(join(FIXTURES, `${name}.txt`));
      const expected = JSON.parse(await readFile(join(FIXTURES, `${name}.json`), 'utf8')) as object[];
      const logs = await makeLogs();
      await logs.start();
      await logs.write('0.log', content);
      await waitFor('all', () => logs.payloads.length >= expected.length);
      expect(summary(logs)).toEqual(expected);
    },
  );

  it.each(['docker-interleaved', 'docker-split', 'cri-partial'])(
    'gives the same failures once each if the collector restarts anywhere in it: %s',
    async (name) => {
      const content = await readFile(join(FIXTURES, `${name}.txt`));
      const expected = JSON.parse(await readFile(join(FIXTURES, `${name}.json`), 'utf8')) as object[];
      const logs = await makeLogs();
      const step = Math.ceil(content.length / 7);
      for (let at = 0; at < content.length; at += step) {
        await logs.start({ force_flush_period: '10m' });
        await logs.append('0.log', content.subarray(at, at + step));
        const end = Math.min(at + step, content.length);
        await waitFor('the checkpoint', async () => {
          const { mark } =
            JSON.parse((await readFile(logs.checkpointPath, 'utf8')).split('\n')[1] ?? '').files[0] ?? {};
          return mark?.at === end;
        });
        await logs.stop();
      }
      await logs.start();
      await waitFor('all', () => logs.payloads.length >= expected.length);
      expect(summary(logs)).toEqual(expected);
    },
  );

  it('has the format that the settings name', async () => {
    const logs = await makeLogs();
    await logs.start({ format: 'plain' });
    await logs.write('api.log', dockerLine(errorLine('hidden')) + errorLine('plain'));
    await logs.expectMessages('plain');
    const other = await makeLogs();
    await other.start({ format: 'docker' });
    await other.write('api.log', `${'text\n'.repeat(200)}${dockerLine(errorLine('found'))}`);
    await other.expectMessages('found');
  });

  it('is decoded by auto although a broken line comes first, and not after a hundred plain lines', async () => {
    const logs = await makeLogs();
    await logs.start();
    await logs.write('api.log', `\0\0half","stream":"stdout"}\n${dockerLine(errorLine('found'))}`);
    await logs.expectMessages('found');
    const plain = await makeLogs();
    await plain.start();
    await plain.write('api.log', 'text\n'.repeat(100) + dockerLine(errorLine('hidden')) + errorLine('plain'));
    await plain.expectMessages('plain');
  });

  it('has the time of the container, the time of the line beside it, and the time of the line if the other is not a time', async () => {
    const logs = await makeLogs();
    const line = `${JSON.stringify({ level: 'error', msg: 'm', time: '2026-11-21T09:00:00Z' })}\n`;
    await logs.start();
    await logs.write('api.log', dockerLine(line) + dockerLine(line, 'stdout', '2026-99-99T99:99:99Z'));
    await logs.expectMessages('m', 'm');
    expect(logs.payloads.map(({ timestamp }) => timestamp)).toEqual([
      '2026-11-21T10:00:00.500000000+00:00',
      '2026-11-21T09:00:00.000000000+00:00',
    ]);
    expect(logs.payloads[0]?.extra?.['file_log']).toMatchObject({ log_time: '2026-11-21T09:00:00.000000000+00:00' });
  });

  it('goes on in the renamed file and in the new one', async () => {
    const logs = await makeLogs();
    await logs.start({ force_flush_period: '10m' });
    const beginning = criLine('{"level":"error",', 'P');
    await logs.write('0.log', beginning);
    await waitFor('the beginning', async () => {
      return (await readFile(logs.checkpointPath, 'utf8')).includes(`"at":${beginning.length}`);
    });
    await rename(logs.path('0.log'), logs.path('0.log.20261121-100000'));
    await logs.append('0.log.20261121-100000', criLine('"msg":"old"}'));
    await logs.write('0.log', criLine('{"level":"error","msg":"new"}'));
    await logs.expectMessages('old', 'new');
  });

  it('ends a trace of a stream while the other stream goes on', async () => {
    const logs = await makeLogs();
    await logs.start({ force_flush_period: '10m' });
    const trace = PYTHON_TRACE.map((line) => criLine(line)).join('');
    await logs.write('0.log', trace + criLine('busy', 'F', 'stdout').repeat(1_001));
    await logs.expectMessages('no start');
  });
});

describe('a hostile log of a container', () => {
  it('has lines that are not of its format, which are plain', async () => {
    const logs = await makeLogs();
    await logs.start();
    const lines = [
      dockerLine('started\n'),
      '{"log":"half a lin\n',
      dockerLine(errorLine('wrong stream'), 'stdin'),
      '{"__proto__":{"log":"x\\n"},"stream":"stderr","time":"2026-11-21T10:00:00Z"}\n',
      '{"log":"\\u0000\\n","stream":"stderr","time":"2026-11-21T10:00:00Z","__proto__":{"stream":"x"}}\n',
      '{"log":7,"stream":"stderr","time":[]}\n',
      errorLine('plain'),
      dockerLine(errorLine('one')),
    ];
    await logs.write('api.log', lines.join(''));
    await logs.expectMessages('plain', 'one');
  });

  it('has a partial line of 10 MB that is cut, and its rest is dropped', async () => {
    const logs = await makeLogs();
    await logs.start({ max_log_size: '64KiB' });
    const part = `{"level":"error","msg":"hidden"}${'x'.repeat(16_000)}`;
    await logs.write(
      '0.log',
      criLine(part, 'P').repeat(640) + criLine(errorLine('hidden')) + criLine(errorLine('one')),
    );
    await logs.expectMessages('one');
    const [payload] = logs.payloads;
    expect(payload?.extra?.['file_log']).toMatchObject({ format: 'json' });
  });

  it('has a line longer than the bound in one part', async () => {
    const logs = await makeLogs();
    await logs.start({ max_log_size: '1KiB' });
    await logs.write('0.log', criLine(`ValueError: ${'ü'.repeat(10_000_000)}`) + criLine(errorLine('one').trim()));
    await logs.expectMessages('one');
  });

  it.each([
    ['empty parts', ''],
    ['parts', 'x'.repeat(1_000)],
  ])('has a line that never ends and holds nothing back: %s', async (_, text) => {
    const logs = await makeLogs();
    await logs.start({ force_flush_period: '10m' });
    const parts = criLine(text, 'P', 'stdout').repeat(10_001);
    await logs.write('0.log', parts + criLine(errorLine('one').trim()));
    await logs.expectMessages('one');
    await logs.append('0.log', criLine(text, 'P', 'stdout') + criLine(errorLine('two').trim()));
    await logs.expectMessages('one', 'two');
  });
});
