import { Fault } from '../../../core/event/fault.js';

/** The least that nobody guesses, as the schema has it for tokens in the configuration. */
const MIN_TOKEN_LENGTH = 16;
const MAX_TOKEN_LENGTH = 4_096;
/** Every request is compared with all of them. */
const MAX_TOKENS = 1_000;

/**
 * The tokens of a file, one on a line; blank lines, and such that begin with `#`, are passed over. Throws `TOKEN_FILE_INVALID`, which names the line and never what stands there.
 */
export function parseTokenLines(path: string, text: string): readonly string[] {
  const tokens: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [place, line] of lines.entries()) {
    const token = line.trim();
    if (token === '' || token.startsWith('#')) continue;
    if (token.length < MIN_TOKEN_LENGTH) throw invalid(path, place, `is shorter than ${MIN_TOKEN_LENGTH} characters`);
    if (/\p{Cc}/u.test(token)) throw invalid(path, place, 'holds a control character; is this a text file?');
    if (/\s/.test(token)) throw invalid(path, place, 'holds a blank; write each token on a line of its own');
    if (token.length > MAX_TOKEN_LENGTH) throw invalid(path, place, `is longer than ${MAX_TOKEN_LENGTH} characters`);
    if (tokens.length === MAX_TOKENS) throw invalid(path, place, `is beyond the ${MAX_TOKENS}th`);
    tokens.push(token);
  }
  return tokens;
}

function invalid(path: string, place: number, problem: string): Fault {
  return new Fault('TOKEN_FILE_INVALID', `the token in line ${place + 1} of ${path} ${problem}`);
}
