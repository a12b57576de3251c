import { anyFrame } from './any-frame.js';
import type { Call, FrameOfCall } from './call.js';
import { elixirFrame } from './elixir-frame.js';
import { phpFrame } from './php-frame.js';
import { pythonFrame } from './python-frame.js';
import { rubyFrame } from './ruby-frame.js';
import { scriptFrame } from './script-frame.js';

/** A family, and what tells its calls; names are separated by spaces. */
interface FamilyRow {
  readonly frameOf: FrameOfCall;
  /** As SDKs name them; https://develop.sentry.dev/sdk/data-model/event-payloads/#required-attributes. */
  readonly platforms: string;
  /** Of files, for calls whose platform is unknown or `other`. */
  readonly extensions: string;
}

const FAMILIES: readonly FamilyRow[] = [
  {
    frameOf: scriptFrame,
    platforms: 'javascript node react-native deno bun electron',
    extensions: 'js mjs cjs jsx ts mts cts tsx vue svelte astro jsbundle',
  },
  { frameOf: pythonFrame, platforms: 'python', extensions: 'py pyw pyc pyx' },
  { frameOf: rubyFrame, platforms: 'ruby', extensions: 'rb rake erb haml slim jbuilder' },
  { frameOf: phpFrame, platforms: 'php', extensions: 'php phtml' },
  { frameOf: elixirFrame, platforms: 'elixir erlang', extensions: 'ex exs eex heex leex erl' },
];

const BY_PLATFORM = familiesBy(({ platforms }) => platforms);
const BY_EXTENSION = familiesBy(({ extensions }) => extensions);

const EXTENSION = /\.([A-Za-z]{1,8})(?:[?#].*)?$/;

/** Returns the rules for a call that an SDK sent: by its platform, else by its file. */
export function familyOfCall(platform: string, call: Call): FrameOfCall {
  const extension = EXTENSION.exec(call.path)?.[1]?.toLowerCase() ?? '';
  return BY_PLATFORM.get(platform) ?? BY_EXTENSION.get(extension) ?? anyFrame;
}

function familiesBy(namesOf: (row: FamilyRow) => string): ReadonlyMap<string, FrameOfCall> {
  return new Map(
    FAMILIES.flatMap((row) =>
      namesOf(row)
        .split(' ')
        .map((name) => [name, row.frameOf] as const),
    ),
  );
}
