/** The commands by task, in the order in which people meet them; `faultline` alone prints it. */
export const HELP_PAGE = `Faultline collects failures beside your services and shows them in a terminal.

Usage: faultline <command> [options]      faultline <command> --help

Start
  collect                 Run the collector
  demo                    Try it: a collector, sample failures and the terminal
  send [MESSAGE]          Send a test event
  run -- PROGRAM [ARGS]   Run a program and collect the failures it prints

Read
  browse [ID]             Open the terminal, at an issue or an event if named
  issues                  List issues
  issue ID                Show one issue
  events [ISSUE]          List the events of an issue, or search all events
  event ID                Show one event
  export                  Write matching events or issues to a file
  rejected                List the payloads that were rejected, and why
  mcp                     Serve issues and events to a coding assistant

Triage
  resolve  reopen  ignore  assign  comment  merge  split  undo
  release                 Record and list releases, deploys and commits
  gate --release NAME     Judge a release by its failures

Grouping
  explain A B             Explain why two events or issues are one, or two
  fingerprint [FILE]      Group payloads without storing them
  regroup                 Preview and apply other rules to stored events
  suggest                 List rules that would join or split issues

Data folder
  import FILE             Store payloads from NDJSON files
  verify                  Check a folder for damage
  rebuild                 Rebuild its index

Configuration
  validate                Check a configuration and this machine
  print-config            Print the effective configuration
  components              List components and their settings
  completion [SHELL]      Print the completion script for bash, zsh or fish
`;

/** The names of the commands on the page. */
export const COMMAND_NAMES: readonly string[] = HELP_PAGE.match(/(?<=^ {2}|[a-z] {2})[a-z][a-z-]*/gm) ?? [];
