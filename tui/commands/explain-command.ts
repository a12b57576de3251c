import type { Argv } from 'yargs';
import { type ReadingSurroundings, readerOptions, withReader } from './reading-surroundings.js';

/** Adds the command that compares how two events or issues are grouped. */
export function addExplainCommand(line: Argv, surroundings: ReadingSurroundings): void {
  const { streams, openReader, defaultUrl, done } = surroundings;
  line.command(
    'explain <a> <b>',
    'Say why two events or issues are one issue or two, and what rule would change that',
    (command) =>
      readerOptions(command, defaultUrl)
        .positional('a', { type: 'string', demandOption: true, describe: 'Id of an event or an issue' })
        .positional('b', { type: 'string', demandOption: true, describe: 'Id of another one' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example(
          '$0 explain 4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11 019a3c5e-7d2f-7a10-8000-00004b1d2c3e',
          'the rule is YAML to paste into a configuration',
        ),
    async (options) => {
      const { runExplain } = await import('./explain.js');
      done(
        await withReader(openReader(options), (reader) =>
          runExplain({ reader, a: options.a, b: options.b, json: options.json, env: process.env, ...streams }),
        ),
      );
    },
  );
}
