import { Log } from '../../../collector/telemetry/logger.js';
import { Fault } from '../../../core/event/fault.js';
import type { LogsSettings } from '../../../generated/settings.js';

function logging(encoding: LogsSettings['encoding'], terminal: { isTTY?: boolean; env?: Record<string, string> } = {}) {
  const lines: string[] = [];
  const destination = { isTTY: terminal.isTTY, write: (line: string) => void lines.push(line) };
  const log = new Log({ level: 'info', encoding }, destination, terminal.env);
  return { log, logger: log.logger, lines };
}

const ESCAPE = '\u001b';

describe('the log', () => {
  it.each([
    ['auto', true, 'console'],
    ['auto', false, 'json'],
    ['json', true, 'json'],
    ['console', false, 'console'],
  ] as const)('with the encoding %s, on a terminal: %p, is written as %s', (encoding, isTTY, written) => {
    const { logger, lines } = logging(encoding, { isTTY });
    logger.info('started');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.startsWith('{')).toBe(written === 'json');
  });

  it('has time, level, component, message and fields on a readable line', () => {
    const { logger, lines } = logging('console');
    logger.child({ component: 'store' }).warn({ kind: 'exporter', took: 3, reason: 'no room' }, 'slow');
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z WARN {2}store: slow kind=exporter took=3 reason="no room"\n$/,
    );
  });

  it('has colours on a terminal unless NO_COLOR is set', () => {
    const onTerminal = logging('auto', { isTTY: true });
    onTerminal.logger.error('failed');
    expect(onTerminal.lines[0]).toContain(`${ESCAPE}[31mERROR${ESCAPE}[0m failed`);
    for (const terminal of [{ isTTY: true, env: { NO_COLOR: '1' } }, { isTTY: false }]) {
      const { logger, lines } = logging('console', terminal);
      logger.error('failed');
      expect(lines[0]).not.toContain(ESCAPE);
    }
  });

  it('changes its level and its encoding while it runs, also for existing components', () => {
    const { log, logger, lines } = logging('json');
    const component = logger.child({ component: 'store' });
    component.debug('unseen');
    log.set({ level: 'debug', encoding: 'console' });
    component.debug('seen');
    log.set({ level: 'silent', encoding: 'json' });
    component.fatal('unseen');
    log.set({ level: 'error', encoding: 'json' });
    component.warn('unseen');
    component.error('seen again');
    expect(lines).toEqual([
      expect.stringMatching(/ DEBUG store: seen\n$/),
      expect.stringMatching(/^\{"level":50,.*"component":"store","msg":"seen again"\}\n$/),
    ]);
  });

  it('escapes control characters', () => {
    const { logger, lines } = logging('console', { isTTY: true, env: { NO_COLOR: '1' } });
    const hostile = `a${ESCAPE}[2J\nb\u202e`;
    logger.info({ component: hostile, path: hostile, [hostile]: 1, err: new Fault('A_CODE', hostile) }, hostile);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines[0]).toContain('\\u{1b}[2J');
  });

  it('contains the code, message and cause of faults', () => {
    const { logger, lines } = logging('json');
    const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      errno: -28,
      syscall: 'write',
    });
    logger.error({ err: new Fault('STORE_UNAVAILABLE', 'the store is full', { cause }) }, 'refused');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 50,
      err: {
        type: 'Fault',
        code: 'STORE_UNAVAILABLE',
        message: 'the store is full',
        cause: { code: 'ENOSPC', message: 'ENOSPC: no space left on device, write' },
      },
    });
  });

  it.each([
    ['JSON.parse', () => JSON.parse('MARKER')],
    ['a regular expression', () => new RegExp(['MARKER', '('].join(''))],
    ['a number', () => BigInt('MARKER')],
    ['a message that looks like frames', () => thrown(new Error('x\n    at MARKER (file.js:1:1)'))],
    ['a message that was changed', () => thrown(Object.assign(new Error('MARKER'), { message: 'other MARKER' }))],
    ['a field', () => thrown(Object.assign(new Error('x'), { input: 'MARKER', code: 'ERR_INVALID_ARG_VALUE' }))],
    ['a cause', () => thrown(new Fault('A_CODE', 'failed', { cause: new TypeError('MARKER') }))],
    ['a value that is not an error', () => thrown('MARKER')],
  ])('omits the message of an error that %s throws, and keeps its frames', (_, work) => {
    const { logger, lines } = logging('json');
    try {
      work();
    } catch (error) {
      logger.error({ err: error }, 'a request failed');
    }
    expect(lines[0]).toContain('a request failed');
    expect(lines[0]).not.toContain('MARKER');
  });

  it('has the frames of an internal error', () => {
    const { logger, lines } = logging('json');
    logger.error({ err: new TypeError('MARKER') }, 'a request failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { type: 'TypeError', stack: expect.stringContaining('logger.test') },
    });
  });
});

function thrown(error: unknown): never {
  throw error;
}
