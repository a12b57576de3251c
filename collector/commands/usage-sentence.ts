import { suggestion } from '../../core/query/suggestion.js';
import { COMMAND_NAMES } from './help-page.js';

/** Messages of yargs, and sentences for people. */
const SENTENCES: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/^Not enough non-option arguments/, () => 'An argument is missing.'],
  [/^Not enough arguments following: (.*)$/, (name) => `${optionName(name)} needs a value.`],
  [/^Arguments (\S+) and (\S+) are mutually exclusive$/, (a, b) => `--${a} and --${b} cannot be combined.`],
  [
    /^Invalid values:\n +Argument: (\S+), Given: (.*), Choices: (.*)$/,
    (name, given, choices) => `--${name} must be one of ${choices.replaceAll('"', '')}, not ${given}.`,
  ],
];

/** Turns a message of yargs into a sentence with the nearest name or the next step. `options` of the command have their dashes. */
export function usageSentence(message: string, args: readonly string[], options: readonly string[]): string {
  const command = COMMAND_NAMES.find((name) => name === args[0]);
  const help = `See faultline ${command === undefined ? '' : `${command} `}--help.`;
  const unknown = /^Unknown (?:command|argument)s?: (.*)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) return `${unknownSentence(unknown, args, options)} ${help}`;
  for (const [pattern, sentence] of SENTENCES) {
    const groups = pattern.exec(message)?.slice(1);
    if (groups !== undefined) return `${sentence(...groups)} ${help}`;
  }
  return `${message} ${help}`;
}

function unknownSentence(word: string, args: readonly string[], options: readonly string[]): string {
  const option = optionName(word);
  const isOption = args.some((argument) => argument.split('=')[0] === option);
  if (isOption) return `Unknown option ${option}.${suggestion(option, options)}`;
  if (word === args[0]) return `Unknown command "${word}".${suggestion(word, COMMAND_NAMES)}`;
  return `Unexpected argument "${word}".`;
}

function optionName(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}
