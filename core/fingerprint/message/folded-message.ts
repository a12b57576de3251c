/** A plural noun of 4 to 31 letters after a number; words such as `access`, `status` and `axis` are not plurals. */
const COUNTED = /<n> ([a-z]{3,30}(?<![sui]))s(?![\w'’-])/g;
const WITH_ES = /(?:ch|sh|x|ss|zz)e$/;
/** Parentheses with values only, or empty because a value was missing. */
const REMARK = / \((?:<[a-z]{1,5}>%?[ ,;:/]{0,2}){0,20}\)/g;
/** Mail servers write the name of a machine, or `unknown`, before its address. */
const NAMED_ADDRESS = /(?:<host>|(?<![\w.-])[\w.-]{1,100})\[<host>\]/g;

/** Rulers, whose length varies, as the hashed text shortens them: `====`. */
const ANY_RULER = /====|----|####|\*\*\*\*|━━━━|────/;
const RULER = /([=\-#*━─])\1{3,}/g;

/**
 * The text that is hashed for a message: equal for one item and several, with or without a remark that has only values, in any order of the
 * members of JSON, with a ruler of any length. A verb loses its `s` too, which is harmless.
 */
export function foldedMessage(template: string): string {
  let text = template.includes(' (') ? template.replace(REMARK, '') : template;
  if (text.includes('[<host>]')) text = text.replace(NAMED_ADDRESS, '<host>');
  if (text.includes('{"')) text = withSortedMembers(text);
  if (ANY_RULER.test(text)) text = text.replace(RULER, '$1$1$1$1');
  return text.includes('<n> ') ? withSingulars(text) : text;
}

function withSingulars(text: string): string {
  return text.replace(COUNTED, (_, stem: string) => {
    if (stem.endsWith('ie')) return `<n> ${stem.slice(0, -2)}y`;
    return `<n> ${WITH_ES.test(stem) ? stem.slice(0, -1) : stem}`;
  });
}

/** An object of JSON that is read: its members so far, and where the next one begins. */
interface OpenObject {
  readonly start: number;
  readonly members: string[];
}

/** Sorts the members of each object in a text; text in quotes may hold signs, which only makes other pieces, the same ones in any order. */
function withSortedMembers(text: string): string {
  const open: OpenObject[] = [];
  let written = '';
  const endMember = (object: OpenObject): void => {
    object.members.push(
      written
        .slice(object.start)
        .trim()
        .replace(/^("[^"]{1,100}") ?: ?/, '$1:'),
    );
    written = written.slice(0, object.start);
  };
  for (const character of text) {
    const object = open.at(-1);
    if (character === '{') {
      written += character;
      open.push({ start: written.length, members: [] });
    } else if (character === '}' && object !== undefined) {
      endMember(object);
      open.pop();
      written += `${object.members.sort().join(',')}}`;
    } else if (character === ',' && object !== undefined) endMember(object);
    else written += character;
  }
  // Objects that a cut left open keep their order.
  const [outermost] = open;
  return outermost === undefined ? written : text;
}
