import { CleanTexts, hashOf } from '../../../../collector/processors/redaction/clean-texts.js';

const UNITS = 2 * 1024 * 1024;
const stack = (at: number, length = 600): string => `Error: ${at}\n${'    at f (app.js:1:1)\n'.repeat(length / 20)}`;

function has(texts: CleanTexts, text: string): boolean {
  return texts.has(text, hashOf(text));
}

function add(texts: CleanTexts, text: string): void {
  texts.addClean(text, hashOf(text));
}

function addTwice(texts: CleanTexts, text: string): void {
  for (let time = 0; time < 2; time += 1) {
    if (!has(texts, text)) add(texts, text);
  }
}

describe('the cache of clean texts', () => {
  it('contains a text from its second occurrence', () => {
    const texts = new CleanTexts();
    expect(has(texts, stack(1))).toBe(false);
    add(texts, stack(1));
    expect(has(texts, stack(1))).toBe(false);
    add(texts, stack(1));
    expect([has(texts, stack(1)), has(texts, stack(2)), texts.units]).toEqual([true, false, stack(1).length]);
  });

  it('distinguishes texts that differ in one unit, or only in its high byte', () => {
    const texts = new CleanTexts();
    addTwice(texts, `${stack(1)}\u0141`);
    expect(has(texts, `${stack(1)}\u0141`)).toBe(true);
    for (const other of ['A', '\u0241', '']) expect(has(texts, `${stack(1)}${other}`)).toBe(false);
    expect(has(texts, stack(1).replace('f (app', 'g (app'))).toBe(false);
  });

  it('does not store short texts, texts above 32 Ki units, and lone surrogates', () => {
    const texts = new CleanTexts();
    for (const text of ['short', stack(1, 40_000), `${stack(1)}\ud83d`]) {
      addTwice(texts, text);
      expect(has(texts, text)).toBe(false);
    }
    addTwice(texts, `${stack(1)}\ufffd`);
    expect([has(texts, `${stack(1)}\ufffd`), has(texts, `${stack(1)}\ud83d`)]).toEqual([true, false]);
  });

  it('stays empty if all texts differ', () => {
    const texts = new CleanTexts();
    for (let at = 0; at < 20_000; at += 1) add(texts, stack(at, 100));
    expect(texts.units).toBeLessThan(stack(1).length * 20);
  });

  it('never exceeds 2 Mi units, and accepts new texts after that', () => {
    const texts = new CleanTexts();
    let most = 0;
    for (let at = 0; at < 1_000; at += 1) {
      addTwice(texts, stack(at, 20_000));
      most = Math.max(most, texts.units);
    }
    expect(most).toBeGreaterThan(UNITS / 2);
    expect(most).toBeLessThanOrEqual(UNITS);
    addTwice(texts, stack(1));
    addTwice(texts, stack(1));
    expect(has(texts, stack(1))).toBe(true);
  });

  it('keeps a recurring text during a flood of others that occur twice', () => {
    const texts = new CleanTexts();
    addTwice(texts, stack(0));
    for (let at = 1; at < 2_000; at += 1) {
      addTwice(texts, stack(at));
      expect(has(texts, stack(0))).toBe(true);
    }
  });
});
