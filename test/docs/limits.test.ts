import { readFile } from 'node:fs/promises';
import { glob } from 'tinyglobby';

const MAX_EXCEPTIONS = 10;

describe('the limits on functions', () => {
  it(`have at most ${MAX_EXCEPTIONS} exceptions in the whole product, each with a reason`, async () => {
    const files = await glob(['*.{ts,mjs}', '{config,core,collector,tui}/**/*.{ts,tsx,mjs}']);
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const exceptions = texts.flatMap((text) => text.match(/biome-ignore lint\/complexity\/noExcessive.*/g) ?? []);
    expect(exceptions.filter((exception) => !/: \w.{10,}/.test(exception))).toEqual([]);
    expect(exceptions.length).toBeLessThanOrEqual(MAX_EXCEPTIONS);
  });
});
