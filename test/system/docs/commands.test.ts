import { readFile } from 'node:fs/promises';
import { blocksOf, userPages } from '../../docs/markdown-blocks.js';
import { killLeftoverProcesses, runFaultline } from '../../helpers/faultline-process.js';
import { faultlineWords, shellCommands } from './shell-commands.js';

afterAll(killLeftoverProcesses);

/** The options with which the pages for users call each command, with the page of each call. */
const calls = new Map<string, { page: string; options: string[] }[]>();

for (const page of await userPages()) {
  const blocks = (await blocksOf(page)).filter(({ info }) => ['sh', 'sh run'].includes(info));
  const inline = (await readFile(page, 'utf8')).matchAll(/`((?:npx )?faultline [a-z][^`\n]*)`/g);
  for (const text of [...blocks.map((block) => block.text), ...Array.from(inline, ([, text = '']) => text)]) {
    for (const [command = '', ...words] of shellCommands(text).flatMap((one) => [faultlineWords(one) ?? []])) {
      if (command === '') continue;
      calls.set(command, [...(calls.get(command) ?? []), { page, options: optionsIn(words) }]);
    }
  }
}

/** The options of a call, without those of a program that it runs. */
function optionsIn(words: readonly string[]): string[] {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  return own.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*$/s, '').replace(/^--no-/, '--'));
}

it.each([...calls])('faultline %s has the options that the pages for users call it with', async (command, uses) => {
  const { stdout } = await runFaultline([command, '--help']);
  expect(stdout).toMatch(new RegExp(`^faultline ${command}\\b`));
  const known: string[] = stdout.match(/(?<=[\s,])--?[a-z][\w-]*/g) ?? [];
  const unknown = uses.filter(({ options }) => options.some((option) => !known.includes(option)));
  expect(unknown).toEqual([]);
});
