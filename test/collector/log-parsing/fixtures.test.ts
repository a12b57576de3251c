import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import { failuresOf, fixtureGolden, fixtureLines, fixtureNames } from './fixture-lines.js';

describe('failures in the output of programs', () => {
  it.each(fixtureNames())('of %s equal its golden file', (name) => {
    const found = failuresOf(fixtureLines(name)).map(({ format, span, value }) => ({ format, span, value }));
    expect(found).toEqual(fixtureGolden(name));
  });

  it.each(fixtureNames())('of %s cut after any line lie within the lines', (name) => {
    const lines = fixtureLines(name).slice(0, 60);
    const whole = failuresOf(lines);
    for (let end = 0; end <= lines.length; end += 1) {
      const found = failuresOf(lines.slice(0, end));
      expect(found.length).toBeLessThanOrEqual(whole.length);
      for (const { span } of found) expect(span.to).toBeLessThanOrEqual(end);
    }
  });

  it.each(fixtureNames())('of %s are the same if it is read again from where it waited, none twice', (name) => {
    const lines = fixtureLines(name).slice(0, 60);
    const whole = failuresOf(lines);
    for (let stop = 0; stop <= lines.length; stop += 1) {
      const first = createFailureLines('error');
      const before = lines
        .slice(0, stop)
        .flatMap((line, index) => [...first.push(line, { from: index, to: index + 1 })]);
      const from = Math.min(first.waitingFrom, stop);
      const after = failuresOf(lines.slice(from)).map(({ span, ...rest }) => ({
        ...rest,
        span: { from: span.from + from, to: span.to + from },
      }));
      expect([...before, ...after]).toEqual(whole);
    }
  });

  it('are the same with colours, carriage returns and the prefixes of container logs', () => {
    const plain = fixtureLines('python/chain');
    const [expected] = failuresOf(plain);
    const variants = [
      plain.map((line) => `\u001b[31m${line}\u001b[0m\r`),
      plain.map((line) => `api-1  | ${line}`),
      plain.map((line) => `2026-11-21T10:00:00.123456789Z stderr F ${line}`),
      plain.map((line) => `Nov 21 10:00:00 web-1 shop[17]: ${line}`),
    ];
    for (const lines of variants) expect(failuresOf(lines).map(({ value }) => value)).toEqual([expected?.value]);
  });

  it('keep the text as it was printed', () => {
    const lines = fixtureLines('python/uncaught').map((line) => `\u001b[31m${line}\u001b[0m`);
    expect(failuresOf(lines).map(({ text }) => text)).toEqual([lines.slice(1).join('\n')]);
  });
});
