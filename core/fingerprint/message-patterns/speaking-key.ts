const WORDS = [
  '(?:error|err|exception|event|exit|status|response|result|sql|http)?_?(?:[Cc]ode|[Ss]tate|[Ss]tatus|[Tt]ype|[Rr]eason)',
  '(?:error|err|exception|event)_?[Nn]ame',
  '(?:error|err|exception|event|status)?_?(?:[Mm]essage|[Mm]sg)',
  '[Ee]rr(?:or)?s?|[Ee]xception|[Cc]ause|[Dd]esc(?:ription)?|[Dd]etails?|[Tt]itle|[Kk]ind|[Cc]lass|[Cc]ategory|[Aa]ction',
  '[Oo]p(?:eration)?|[Mm]ethod|[Pp]hase|[Ss]tage|[Ss]tep|[Ee]vent|[Rr]esult|[Oo]utcome|[Ll]evel|[Ss]everity|[Ss]tat',
  '[Ee]rrno|[Ss]ignal|[Ss]yscall|[Cc]omponent|rc',
];

/** Source of a pattern for the keys whose value says what failed, as key=value or as JSON key. */
export const SPEAKING_KEY = `(?:${WORDS.join('|')})`;
