/** Where `computeFingerprint` is: a thread can be told a module, and no function. */
export const FINGERPRINT_MODULE = new URL('./compute-fingerprint.js', import.meta.url);
