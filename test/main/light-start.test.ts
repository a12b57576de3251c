import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import stringWidth from 'string-width';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

const TEXTS = [
  '',
  'plain',
  'row \ue000',
  '漢字',
  'e\u0301',
  '👍🏽',
  '👩‍👩‍👧',
  '🇫🇷',
  '1\ufe0f\u20e3',
  '각',
  '\u001b[31mred\u001b[0m',
  'a\r\nb',
  '…x',
];

/** Bundles and loads one of the fast replacements in `.bundle/`. */
async function loadReplacement(name: string): Promise<Record<string, unknown>> {
  const outfile = join(await temporaryFolder(), `${name}.mjs`);
  await build({
    entryPoints: [`.bundle/${name}.js`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return await import(pathToFileURL(outfile).href);
}

/** Whether a code point is in a range with emoji, in which every character is compared. */
function hasEmoji(codePoint: number): boolean {
  return codePoint < 0x3100 || (codePoint >= 0x1_f0_00 && codePoint < 0x1_fc_00);
}

afterAll(removeTemporaryFolders);

describe('the fast replacements in the bundle', () => {
  it('count the cells of characters and texts as string-width does', async () => {
    const { stringWidth: light } = await loadReplacement('light-string-width');
    if (typeof light !== 'function') throw new Error('stringWidth is missing');
    for (let codePoint = 0; codePoint < 0x3_00_00; codePoint += hasEmoji(codePoint) ? 1 : 29) {
      const character = String.fromCodePoint(codePoint);
      if (light(character) !== stringWidth(character)) throw new Error(`U+${codePoint.toString(16)} has other cells`);
    }
    expect(TEXTS.map((text) => light(text))).toEqual(TEXTS.map((text) => stringWidth(text)));
  });

  it('segment texts as Intl.Segmenter does', async () => {
    const { LightSegmenter: Light } = await loadReplacement('light-segmenter');
    if (typeof Light !== 'function') throw new Error('LightSegmenter is missing');
    for (const granularity of ['grapheme', 'word'] as const) {
      const light: unknown = Reflect.construct(Light, ['en', { granularity }]);
      const real = new Intl.Segmenter('en', { granularity });
      for (const text of TEXTS) {
        const segments: unknown = Reflect.get(Object(light), 'segment').call(light, text);
        const seen = Array.from(segments as Iterable<Intl.SegmentData>, ({ segment, index }) => [segment, index]);
        expect(seen).toEqual(Array.from(real.segment(text), ({ segment, index }) => [segment, index]));
      }
    }
  });

  it('let the terminal start without loading packages or the developer tools of React', () => {
    const scripts = readdirSync('dist/bundle').filter((name) => name.endsWith('.js'));
    const imported = scripts.flatMap((name) => {
      const text = readFileSync(join('dist/bundle', name), 'utf8');
      return Array.from(text.matchAll(/(?:from|import)\s*\(?["']([^."'][^"']*)["']/g), ([, specifier]) => specifier);
    });
    expect(imported).toContain('node:fs');
    for (const packageName of ['ink', 'react', 'react-devtools-core', 'string-width', 'yoga-layout']) {
      expect(imported).not.toContain(packageName);
    }
  });
});
