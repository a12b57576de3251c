import { execFileSync } from 'node:child_process';

/** A machine of a network: a network namespace with one link to the servers and one to the test. */
export interface Machine {
  /** The program, with its arguments, that starts a command on it. */
  readonly through: readonly string[];
  /** Where the test reaches it, also while it is cut. */
  readonly address: string;
  /** No packet passes between it and the servers until `join`. */
  cut(): void;
  join(): void;
}

/** A network of this machine, until the process exits. */
export interface FleetNetwork {
  /** Where machines reach servers that run outside of them. */
  readonly address: string;
  addMachine(): Machine;
  close(): void;
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Opens a network; undefined without the right to. Needs root, or `unshare --map-root-user --net --mount` and a new tmpfs on `/run`. */
export function openFleetNetwork(): FleetNetwork | undefined {
  const id = `fl${process.pid.toString(36)}`;
  const subnet = process.pid % 256;
  // Networks for benchmarks: of the servers, and of the test.
  const bridges = [18, 19].map((net) => ({ name: `${id}n${net}`, prefix: `198.${net}.${subnet}` }));
  const machines: string[] = [];
  const close = (): void => {
    process.off('exit', close);
    for (const machine of machines.splice(0)) ip('netns', 'del', machine);
    for (const { name } of bridges.splice(0)) ip('link', 'del', name);
  };
  try {
    for (const { name, prefix } of bridges) {
      ip('link', 'add', name, 'type', 'bridge');
      ip('address', 'add', `${prefix}.1/24`, 'dev', name);
      ip('link', 'set', name, 'up');
    }
  } catch (error) {
    console.warn(`SKIPPED: a network cannot be made here: ${String(error)}`);
    return undefined;
  }
  process.once('exit', close);
  return {
    address: `198.18.${subnet}.1`,
    addMachine() {
      const host = machines.length + 2;
      const machine = `${id}m${host}`;
      ip('netns', 'add', machine);
      machines.push(machine);
      ip('-n', machine, 'link', 'set', 'lo', 'up');
      for (const { name, prefix } of bridges) {
        ip('link', 'add', `${name}x${host}`, 'type', 'veth', 'peer', 'name', name, 'netns', machine);
        ip('link', 'set', `${name}x${host}`, 'master', name, 'up');
        ip('-n', machine, 'address', 'add', `${prefix}.${host}/24`, 'dev', name);
        ip('-n', machine, 'link', 'set', name, 'up');
      }
      const set = (state: 'up' | 'down'): void => ip('link', 'set', `${id}n18x${host}`, state);
      return {
        through: ['ip', 'netns', 'exec', machine],
        address: `198.19.${subnet}.${host}`,
        cut: () => set('down'),
        join: () => set('up'),
      };
    },
    close,
  };
}
