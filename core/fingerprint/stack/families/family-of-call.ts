import { anyFrame } from './any-frame.js';
import type { Call, FrameOfCall } from './call.js';
import { dartFrame } from './dart-frame.js';
import { dotnetFrame } from './dotnet-frame.js';
import { elixirFrame } from './elixir-frame.js';
import { goFrame } from './go-frame.js';
import { jvmFrame } from './jvm-frame.js';
import { nativeFrame } from './native-frame.js';
import { phpFrame } from './php-frame.js';
import { pythonFrame } from './python-frame.js';
import { rubyFrame } from './ruby-frame.js';
import { rustFrame } from './rust-frame.js';
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
  {
    frameOf: jvmFrame,
    platforms: 'java kotlin scala groovy clojure jruby android',
    extensions: 'java kt kts scala groovy clj cljc',
  },
  {
    frameOf: dotnetFrame,
    platforms: 'csharp dotnet fsharp visualbasic unity xamarin maui',
    extensions: 'cs fs fsx vb cshtml razor xaml',
  },
  { frameOf: pythonFrame, platforms: 'python', extensions: 'py pyw pyc pyx pxi' },
  { frameOf: rubyFrame, platforms: 'ruby', extensions: 'rb rake erb haml slim jbuilder' },
  { frameOf: phpFrame, platforms: 'php', extensions: 'php phtml' },
  { frameOf: elixirFrame, platforms: 'elixir erlang', extensions: 'ex exs eex heex leex erl' },
  {
    frameOf: nativeFrame,
    platforms: 'native c cpp c++ objc cocoa swift',
    extensions: 'c cc cpp cxx h hh hpp hxx m mm swift',
  },
  { frameOf: rustFrame, platforms: 'rust', extensions: 'rs' },
  { frameOf: goFrame, platforms: 'go', extensions: 'go' },
  { frameOf: dartFrame, platforms: 'dart flutter', extensions: 'dart' },
];

const BY_PLATFORM = familiesBy(({ platforms }) => platforms);
const BY_EXTENSION = familiesBy(({ extensions }) => extensions);

const EXTENSION = /\.([A-Za-z]{1,8})(?:[?#].*)?$/;

/** Names that only compilers of Rust make. */
const RUST_NAME =
  /^<.{1,400} as .{1,400}>::|(?:^|::)<impl |\{\{closure\}\}|::\{(?:impl|closure|async_)\W|::h[0-9a-f]{16}$|^_{0,2}rust(?:c|_)/;
const CRATE_PATH = /^[a-z][a-z\d_]{0,80}::[\w:<>{}#]{1,400}$/;
/** `(*Cart).Total`, a receiver of Go. */
const GO_NAME = /(?:^|\.)\(\*\w{1,100}(?:\[[^\]]{0,200}\])?\)\.\w/;
/** Methods of Objective-C, and names with a namespace or a type and arguments. */
const NATIVE_NAME = /^[-+]\[|\w::[\w~<].{0,400}\)|\)::|^\S.{0,400} \S{1,200}\(.{0,400}\)/;

/** Returns the rules for a call that an SDK sent: by its platform, else by its file, its image and the form of its name. */
export function familyOfCall(platform: string, call: Call): FrameOfCall {
  const named = BY_PLATFORM.get(platform);
  if (named !== undefined && named !== nativeFrame) return named;
  const extension = EXTENSION.exec(call.path)?.[1]?.toLowerCase() ?? '';
  const family = named ?? BY_EXTENSION.get(extension) ?? familyByName(call);
  return family === nativeFrame && isRust(call, extension) ? rustFrame : family;
}

/** SDKs of Rust call their platform native; without a file they do not send an image either. */
function isRust({ name, image, path }: Call, extension: string): boolean {
  if (extension === 'rs' || RUST_NAME.test(name)) return true;
  return path === '' && image === '' && CRATE_PATH.test(name);
}

function familyByName({ name, image }: Call): FrameOfCall {
  if (RUST_NAME.test(name)) return rustFrame;
  if (GO_NAME.test(name)) return goFrame;
  return image !== '' || NATIVE_NAME.test(name) ? nativeFrame : anyFrame;
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
