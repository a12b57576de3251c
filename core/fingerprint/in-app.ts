/** Folders and schemes of code that the application did not write. */
const FOREIGN_FILE =
  /(?:^|[/\\])(?:node_modules|bower_components|site-packages|dist-packages|gems|vendor\/bundle)[/\\]|^(?:node|internal|bun|deno|ext|native|chrome-extension|moz-extension|safari-extension|safari-web-extension):|^(?:internal|webpack\/(?:runtime|bootstrap))\b|^\/usr\/(?:local\/)?lib\/|[/\\](?:pkg[/\\]mod|rustc|\.cargo[/\\]registry|lib[/\\]python\d(?:\.\d+)?)[/\\]/;

/** Namespaces of languages and their runtimes. */
const RUNTIME_NAMESPACE =
  /^(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|libcore|System|Microsoft)\./;

/** Whether a file belongs to the application, by the kind of its path as it was written. */
export function isAppFile(path: string): boolean {
  return !FOREIGN_FILE.test(path);
}

/** Whether a class or module belongs to the application, or to a library that cannot be told from it, by its namespace. */
export function isAppModule(module: string): boolean {
  return !RUNTIME_NAMESPACE.test(module);
}
