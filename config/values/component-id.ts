import { quoted } from './printable.js';
import { ValueError } from './value-error.js';

export interface ComponentId {
  type: string;
  /** Absent for an id without `/`. */
  name?: string;
}

const TYPE = /^[a-zA-Z][0-9a-zA-Z_]{0,62}$/;
const NAME = /^[^\p{Z}\p{C}\p{S}]+$/u;
const MAX_NAME_LENGTH = 1024;

/** Parses `type` or `type/name`; throws a ValueError with the OpenTelemetry Collector's sentence if the text is neither. */
export function parseComponentId(text: string): ComponentId {
  if (text === '') throw new ValueError('id must not be empty');
  const slash = text.indexOf('/');
  const type = slash === -1 ? text : text.slice(0, slash);
  if (type === '') throw new ValueError(`in ${quoted(text)} id: the part before / should not be empty`);
  if (!TYPE.test(type)) throw new ValueError(`invalid character(s) in type ${quoted(type)}`);
  if (slash === -1) return { type };
  const name = text.slice(slash + 1);
  if (name === '') throw new ValueError(`in ${quoted(text)} id: the part after / should not be empty`);
  // Counts code points, as the patterns of schema.json do.
  if (name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH)
    throw new ValueError(`the name in the id is longer than ${MAX_NAME_LENGTH} characters`);
  if (!NAME.test(name)) throw new ValueError(`invalid character(s) in name ${quoted(name)}`);
  return { type, name };
}

/** Like `parseComponentId`, but returns the ValueError. */
export function tryParseComponentId(text: string): ComponentId | ValueError {
  try {
    return parseComponentId(text);
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}
