import { normalizeFile } from '../file-names.js';
import { normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';
import { symbolName } from './symbol-name.js';
import { isSystemFunction } from './system-functions.js';

/**
 * Creates a frame of C, C++, Objective-C or Swift with function and file, or without a source with function and image; null if all are unknown.
 * Libraries and sources that lie in a folder of the system, but do not come with it, may be those of the application.
 */
export function nativeFrame({ name: symbol, image, path: source, line, column }: Call): StackFrame | null {
  const path = HIDDEN.test(source) ? '' : source;
  const imageName = imageOf(image);
  const name = HIDDEN.test(symbol) ? null : withoutModule(symbolName(symbol), imageName);
  if (name === null && path === '' && imageName === '') return null;
  const isSystem = name !== null && isSystemFunction(name, path !== '' || imageName !== '');
  const isOwnImage = imageName === '' || (isAppModule(imageName) && !FOREIGN_IMAGE.test(imageName));
  const inApp = !isSystem && isOwnImage && isAppPath(path) && (imageName === '' || isAppFile(image));
  return {
    function: name,
    module: path !== '' || imageName === '' ? null : normalizeGenerated(imageName),
    file: normalizeFile(path),
    line,
    column,
    inApp,
    stepsBack: !inApp && !isSystem && ((isOwnImage && imageName.endsWith('.so')) || PACKAGED_SOURCE.test(path)),
  };
}

/** Images of interpreters, engines and toolkits, which run what a program gives them, and of what catches its crashes. */
const FOREIGN_IMAGE =
  /^(?:(?:node|electron|java|python\d?(?:\.\d{1,2})?|ruby|php(?:-fpm)?|perl|dotnet|mono)(?:\.exe)?|(?:lib)?(?:flutter|hermes|jsc|unity(?:Player|Framework)?|mono\w{0,20}|v8|cef|sentry\w{0,20}|crashlytics\w{0,20}|bugsnag\w{0,20}|crashpad\w{0,20}|breakpad\w{0,20})(?:\.(?:so|dylib|dll))?|(?:Electron|Chromium Embedded) Framework|FirebaseCrashlytics|KSCrash\w{0,20}|CrashReporter|(?:lib)?Qt\d?[A-Z]\w{1,30}(?:\.(?:so|dylib|dll))?|lib(?:glib|gobject|gio|gtk|gdk|X11|xcb|GLX?|drm)\b.{0,20}\.so)$/i;
/** What tools of Apple write for names that are not published or not found. */
const HIDDEN = /^(?:_{1,2}hidden#\d|<(?:unavailable|redacted|deduplicated_symbol)>)/;

/** Where distributions of Linux put the sources of their packages, of programs as of libraries. */
const PACKAGED_SOURCE = /^\/usr\/src\/debug\/(?!glibc|gcc)/;

/** Sources of the standard library of Swift are written from its folder. An unknown source may belong to the application. */
function isAppPath(path: string): boolean {
  return path === '' || (isAppFile(path) && !path.startsWith('Swift/'));
}

/** Swift writes the module before a name, but not in every report; it is named like its image. */
function withoutModule(name: string | null, imageName: string): string | null {
  const isQualified = name !== null && imageName !== '' && name.startsWith(`${imageName}.`);
  return isQualified ? name.slice(imageName.length + 1) : name;
}

/** The name of an image without folder, version and container. */
function imageOf(image: string): string {
  const name = image.slice(Math.max(image.lastIndexOf('/'), image.lastIndexOf('\\'), image.lastIndexOf('!')) + 1);
  return /^(?:\?{2,3}|<unknown>|unknown)$/.test(name)
    ? ''
    : name.replace(/:\w{1,10}$|[-.]\d[\d.]{0,20}(?=\.(?:so|dylib|dll)\b)|(?<=\.so)(?:\.\d{1,6}){1,4}$/g, '');
}
