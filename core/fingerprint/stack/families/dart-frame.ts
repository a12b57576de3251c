import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import type { Call } from './call.js';

const CLOSURES = /(?:(?:^|\.)<(?:anonymous closure|fn)>)+/g;
const ASYNC_BODY = /\s{0,8}\[async\]$|\.<async_op>/g;
/** Between the calls of two turns of the event loop. */
const GAP = /^<asynchronous (?:suspension|gap)>$/;
/** Browsers write packages as folders, and the language as another. */
const FOREIGN_FOLDER = /^packages\/flutter\w{0,40}\/|(?:^|\/)dart-sdk\//;
/** Packages of state, network, storage and reports that most applications share. */
const SHARED_PACKAGE =
  /^(?:package:|packages\/)(?:sentry\w{0,40}|dio\w{0,40}|http\w{0,40}|web_socket_channel|grpc|graphql\w{0,20}|retrofit|chopper|bloc\w{0,20}|\w{0,20}riverpod\w{0,20}|provider|get|get_it|mobx\w{0,20}|redux\w{0,20}|rxdart|go_router|auto_route|hive\w{0,20}|isar\w{0,20}|sqflite\w{0,20}|drift\w{0,20}|sembast|firebase_\w{1,40}|cloud_\w{1,40}|shared_preferences\w{0,20}|path_provider\w{0,20}|url_launcher\w{0,20}|image_picker\w{0,20}|camera\w{0,20}|meta|path|intl|convert|crypto|logging|logger|args|equatable|freezed\w{0,20}|json_\w{1,30}|build\w{0,30}|source_gen|analyzer|shelf\w{0,20}|vm_service|test|mockito|mocktail)\//;

/** Creates a frame of Dart; null for the mark of an asynchronous gap. */
export function dartFrame({ name, path, line, column }: Call): StackFrame | null {
  if (GAP.test(name) || (name === '' && GAP.test(path))) return null;
  return {
    function: normalizeFunction(name.replace(ASYNC_BODY, '').replace(CLOSURES, '')),
    module: null,
    file: normalizeFile(path),
    line,
    column,
    inApp: isAppFile(path) && !FOREIGN_FOLDER.test(path) && !SHARED_PACKAGE.test(path),
  };
}
