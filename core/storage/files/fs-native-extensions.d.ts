declare module 'fs-native-extensions' {
  /** False while another process holds the lock; throws the system's error (`ENOLCK`, …). */
  export function tryLock(descriptor: number, options: { shared: boolean }): boolean;
}
