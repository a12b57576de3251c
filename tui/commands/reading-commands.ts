import type { Argv } from 'yargs';
import { addBrowseCommand } from './browse-command.js';
import { addEventCommands } from './event-commands.js';
import { addExplainCommand } from './explain-command.js';
import { addExportCommand } from './export-command.js';
import { addIssueCommands } from './issue-commands.js';
import type { ReadingSurroundings } from './reading-surroundings.js';
import { addRejectedCommand } from './rejected-command.js';

/** Adds the terminal and the commands that print what it shows, in the order of the help; each is imported when it is called. */
export function addReadingCommands(line: Argv, surroundings: ReadingSurroundings): void {
  addBrowseCommand(line, surroundings);
  addIssueCommands(line, surroundings);
  addEventCommands(line, surroundings);
  addExplainCommand(line, surroundings);
  addExportCommand(line, surroundings);
  addRejectedCommand(line, surroundings);
}
