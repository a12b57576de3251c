/** What we use of the package, which brings no types. */
declare module 'fs-native-extensions' {
  /** False while somebody else holds the lock; throws the system's error (`ENOLCK`, …). */
  export function tryLock(descriptor: number, options: { shared: boolean }): boolean;
}
