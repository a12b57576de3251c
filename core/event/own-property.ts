/**
 * Sets an own property whatever its name: assigning to `__proto__` would change the object's prototype instead, and JSON from outside may hold that key.
 */
export function setOwnProperty<Value>(target: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
