import { basename, extname } from 'node:path';

const NAMESPACE = '(?<namespace>[a-z0-9-]{1,63})';
const POD = '(?<pod>[a-z0-9.-]{1,253})';
const CONTAINER = '(?<container>[a-z0-9.-]{1,63})';
const CONTAINER_ID = '(?<containerId>[0-9a-f]{64})';

/** Kubernetes' folders of pods, its links by container, and the folders of Docker; rotation adds to the name. */
const PATHS = [
  new RegExp(`/${NAMESPACE}_${POD}_[0-9a-zA-Z-]{1,64}/${CONTAINER}/\\d{1,10}\\.log[^/]{0,64}$`),
  new RegExp(`/${POD}_${NAMESPACE}_${CONTAINER}-${CONTAINER_ID}\\.log[^/]{0,64}$`),
  new RegExp(`/${CONTAINER_ID}/\\k<containerId>-json\\.log[^/]{0,64}$`),
];

/** Parses the path of a log; empty for a file that no container runtime named. */
export function parseContainerPath(path: string): {
  readonly [Name in 'namespace' | 'pod' | 'container' | 'containerId']?: string;
} {
  for (const pattern of PATHS) {
    const groups = pattern.exec(path)?.groups;
    if (groups !== undefined) return groups;
  }
  return {};
}

/** The letters and digits of generated suffixes, which form no words. */
const RANDOM = '[bcdfghjklmnpqrstvwxz2456789]';

/** What controllers add to their name: ReplicaSet and pod hash or the minute of a CronJob and pod hash, a pod hash, an ordinal. */
const POD_SUFFIXES = [
  new RegExp(`-(?:${RANDOM}{7,10}|\\d{8,10})-${RANDOM}{5}$`),
  new RegExp(`-${RANDOM}{5}$`),
  /-\d{1,5}$/,
];

/** The name of the controller that owns a pod: the pod's name without what was added to it. */
export function ownerOf(pod: string): string {
  for (const suffix of POD_SUFFIXES) {
    const match = suffix.exec(pod);
    if (match !== null && match.index > 0) return pod.slice(0, match.index);
  }
  return pod;
}

/** Replaces `{namespace}`, `{pod}`, `{container}`, `{owner}` and `{file}`; undefined if the path does not have one of them. */
export function fillTemplate(template: string, path: string): string | undefined {
  const { namespace, pod, container } = parseContainerPath(path);
  const owner = pod === undefined ? undefined : ownerOf(pod);
  const values = new Map(Object.entries({ namespace, pod, container, owner, file: serviceNameOf(path) }));
  let isComplete = true;
  const filled = template.replace(/\{([a-z]{1,9})\}/g, (placeholder, name: string) => {
    if (!values.has(name)) return placeholder;
    const value = values.get(name);
    isComplete &&= value !== undefined;
    return value ?? '';
  });
  return isComplete ? filled : undefined;
}

/** What rotation puts behind or into a name: a number, a date or a time, and compressed or old copies. */
const ROTATION = /[-._](?:\d{1,14}|\d{4}-\d{2}-\d{2}(?:[-_T]\d{2}[-:.]?\d{2}(?:[-:.]?\d{2})?)?|old|bak|gz)$/;

/** Docker names files by the id of the container, which says nothing about the program. */
const DOCKER_FILE = /^[0-9a-f]{64}-json\.log/;

/** The name of the service that writes a file: the file's name without its extension and what rotation added, `api` of `/var/log/api.log.1`. */
export function serviceNameOf(path: string): string {
  const whole = basename(path);
  if (DOCKER_FILE.test(whole)) return 'docker';
  const bare = withoutRotation(whole);
  const name = withoutRotation(bare.slice(0, bare.length - extname(bare).length));
  return name === '' ? whole : name;
}

function withoutRotation(name: string): string {
  let rest = name;
  for (let match = ROTATION.exec(rest); match !== null && match.index > 0; match = ROTATION.exec(rest)) {
    rest = rest.slice(0, match.index);
  }
  return rest;
}
