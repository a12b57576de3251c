import { anyFrame } from './any-frame.js';
import type { Call, FrameOfCall } from './call.js';
import { scriptFrame } from './script-frame.js';

/** Families by the platform that SDKs name; https://develop.sentry.dev/sdk/data-model/event-payloads/#required-attributes. */
const BY_PLATFORM: ReadonlyMap<string, FrameOfCall> = new Map<string, FrameOfCall>([
  ...named(scriptFrame, 'javascript node react-native deno bun electron'),
]);

/** Families by the extension of a file, for calls whose platform is unknown or `other`. */
const BY_EXTENSION: ReadonlyMap<string, FrameOfCall> = new Map<string, FrameOfCall>([
  ...named(scriptFrame, 'js mjs cjs jsx ts mts cts tsx vue svelte astro jsbundle'),
]);

const EXTENSION = /\.([A-Za-z]{1,8})(?:[?#].*)?$/;

/** Returns the rules for a call that an SDK sent: by its platform, else by its file. */
export function familyOfCall(platform: string, call: Call): FrameOfCall {
  const extension = EXTENSION.exec(call.path)?.[1]?.toLowerCase() ?? '';
  return BY_PLATFORM.get(platform) ?? BY_EXTENSION.get(extension) ?? anyFrame;
}

/** Rows of a table for several names of one family, which spaces separate. */
function named(family: FrameOfCall, names: string): (readonly [string, FrameOfCall])[] {
  return names.split(' ').map((name) => [name, family]);
}
