// A processor that tags events with the team that owns their code, by rules as in a CODEOWNERS file: `pattern team`, the last match wins.
import { readFile } from 'node:fs/promises';

const BETWEEN_PATHS = /[\s()":]+/;

/** Reads the rules of a file. Throws an error with the number of a line that is wrong. */
export function parseOwners(text) {
  return text.split('\n').flatMap((line, index) => {
    const words = line.replace(/#.*/, '').trim().split(/\s+/);
    if (words[0] === '') return [];
    if (words.length !== 2) throw new Error(`line ${index + 1}: expected "pattern team", found ${words.length} words`);
    return [{ pieces: words[0].split('*'), team: words[1] }];
  });
}

/** Whether a path contains all pieces of a pattern in this order. Takes time in proportion to the path. */
function matches(path, pieces) {
  let from = 0;
  for (const piece of pieces) {
    const at = path.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

/** @type {import('faultline/plugin').Plugin['processors']} */
export const processors = {
  tenant_owner: {
    description: 'Sets a tag to the team that owns the code of an event.',
    stability: 'alpha',
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', minLength: 1, description: 'Lines `pattern team`; `*` is any text.' },
        tag: { type: 'string', minLength: 1, default: 'team', description: 'The tag. Default `team`.' },
      },
    },
    create({ file, tag }) {
      let rules = [];
      return {
        async start() {
          rules = parseOwners(await readFile(file, 'utf8')).reverse();
        },
        async consume({ events }) {
          return events.map((event) => {
            const { payload } = event;
            const words = payload.stack?.slice(0, 4_096).split(BETWEEN_PATHS) ?? [];
            const paths = [payload.route, ...words.filter((word) => word.includes('/'))];
            const owner = rules.find(({ pieces }) => paths.some((path) => matches(path, pieces)));
            if (owner === undefined) return event;
            return { payload: { ...payload, tags: { ...payload.tags, [tag]: owner.team } } };
          });
        },
      };
    },
  },
};
