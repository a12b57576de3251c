/** Words without final `s` that the error messages of at least 20 packages (libraries of Go and Python, npm) use: no values of one program. */
const REASON_WORDS: ReadonlySet<string> = new Set(
  `absolute access action add added address after algorithm alias all allowed already an and another any append archive are arg argument array as async
  at attempt attempted attribute available bad base be because been before between binary bit block body bool boolean both bound buffer build but by
  byte cache call callable callback called can can't cannot change changed character check child class client close closed closing code command
  compatible condition config configuration connection contain content context convert copy could count counter create crypto current currently custom
  cycle data date decode default defined definition delete detected determine dict dictionary did different dir directory disabled do does doesn domain
  don duplicate during each either element empty enabled encoding encountered end enough entry environment equal error event exactly exceeded exceeds
  exception exist existing expected expecting expects explicit export expr expression extension extra failed failure false field file filename filter
  find first flag float following for form format found from full func function gen generate generator get given global go got greater group handle
  happen has hash have header host https id identifier if illegal image implement implemented import in include incompatible incomplete inconsistent
  incorrect index info init initial input inside install installed instance instead int integer interface internal interval into invalid is it item
  iterable json key keyword kind label large larger last least left len length less level like limit line list literal load local location log long
  longer loop make malformed many map mapping match matching max maximum may member message metadata method min mismatch mismatched missing mode module
  more most multi multiple must name named namespace need negative network never new next nil no node non none not null number object of offset old on
  once one only op open operation operator option or order other out output outside overflow package parameter parent parse parser parsing part pass
  passed path pattern platform please point pointer policy port position positional positive prefix present private process property protocol provide
  provided public python query random range reached read reader reading received record recursive reference reg region register registered relative
  remove replace request requested required requires reserved resolve resource response result return returned root rule run running runtime same scalar
  schema scheme second section see self sequence server service set setting short should signature simple single size slice small socket source
  specified specify stack start starting state statement status store str stream string sub subclass such sum supplied support supported sym symbol sync
  syntax system table tag takes target task template test text than that the there this time timeout to together token too trace tree tried true
  truncated try tuple two type uint unable undefined unexpected unhandled unknown unreachable unrecognized unsupported up update url use used user using
  valid validation value var variable version want was were when while width windows with without write writing wrong yet you zero`.split(
    /\s+/,
  ),
);

/** Text in quotes, a placeholder, or a word; a name with dots or digits is one word. */
const TOKEN = /"[^"\s]{1,80}"|'[^'\s]{1,80}'|`[^`\s]{1,80}`|<[\w-]{1,20}>|[\w$]+(?:[.'][\w$]+)*/g;
const TYPE = /[a-z](?:Error|Exception)$/;
const QUOTES = '"\'`';

/** The words, in lower case, that tell two reasons of one function apart; `keepsNames`: names of types and quoted names, parts of the program, too. */
export function reasonWords(message: string, keepsNames: boolean): string {
  const words: string[] = [];
  for (const token of message.match(TOKEN) ?? []) {
    if (QUOTES.includes(token.charAt(0)) || TYPE.test(token)) {
      if (keepsNames) words.push(token);
      continue;
    }
    const word = token.toLowerCase();
    const stem = word.endsWith('s') && REASON_WORDS.has(word.slice(0, -1)) ? word.slice(0, -1) : word;
    if (REASON_WORDS.has(stem) && token !== token.toUpperCase()) words.push(stem);
  }
  return words.join(' ');
}

/** Reason words that identify a cause. */
const MIN_REASON_WORDS = 2;

/** The reason words of the innermost errors in a chain `reading a: open b: permission denied`, as the outer ones depend on the caller. */
export function rootReasonWords(message: string): string {
  const parts = message.split(': ');
  let words = '';
  for (let at = parts.length - 1; at >= 0; at--) {
    words = `${reasonWords(parts[at] ?? '', true)} ${words}`.trim();
    if (words.split(' ').length >= MIN_REASON_WORDS) break;
  }
  return words;
}
