import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { at, DEPLOY_ENV, loadDeployed, readDeployFile, readDocuments } from './deploy-files.js';

type Found = Readonly<Record<string, unknown>>;

const SIDECAR = 'kubernetes/sidecar.yaml';
const GATEWAY = 'kubernetes/gateway.yaml';
const FLEET_SIDECAR = 'kubernetes/fleet/sidecar.yaml';
const FLEET_GATEWAY = 'kubernetes/fleet/gateways.yaml';
const FLEET_NATS = 'kubernetes/fleet/nats.yaml';

function ofKind(path: string, kind: string): Found {
  const found = readDocuments(path).find((one) => at(one, 'kind') === kind);
  if (typeof found !== 'object' || found === null) throw new Error(`${path} has no ${kind}`);
  return Object.fromEntries(Object.entries(found));
}

function configOf(path: string): string {
  return String(at(ofKind(path, 'ConfigMap'), 'data', 'faultline.yaml'));
}

function sidecar(path = SIDECAR): unknown {
  return at(ofKind(path, 'Deployment'), 'spec', 'template', 'spec', 'initContainers', 0);
}

function gateway(path = GATEWAY): unknown {
  return at(ofKind(path, 'StatefulSet'), 'spec', 'template', 'spec', 'containers', 0);
}

/** Name, file and container of all collectors in Kubernetes. */
const IN_KUBERNETES = [
  ['the sidecar', SIDECAR, sidecar()],
  ['the gateway', GATEWAY, gateway()],
  ['the sidecar of a fleet', FLEET_SIDECAR, sidecar(FLEET_SIDECAR)],
  ['a gateway of a fleet', FLEET_GATEWAY, gateway(FLEET_GATEWAY)],
] as const;

/** Whether a gateway gets all variables that its configuration names, those of tokens from a secret. */
function checkVariables(path: string, secret: string): void {
  const named = [...configOf(path).matchAll(/\$\{env:([A-Z_]+)\}/g)].map(([, name]) => name);
  const env = at(gateway(path), 'env');
  const variable = Array.isArray(env) ? env.map((one) => String(at(one, 'name'))) : [];
  expect(variable).toEqual(expect.arrayContaining([...new Set(named)]));
  const tokens = Array.isArray(env) ? env.filter((one) => String(at(one, 'name')).startsWith('FAULTLINE_')) : [];
  expect(tokens.every((one) => at(one, 'valueFrom', 'secretKeyRef', 'name') === secret)).toBe(true);
}

describe('the configurations of a deployment', () => {
  it.each([
    ['the image', () => readDeployFile('docker/faultline.yaml')],
    ['the sidecar', () => configOf(SIDECAR)],
    ['the gateway', () => configOf(GATEWAY)],
    ['the sidecar of a fleet', () => configOf(FLEET_SIDECAR)],
    ['a gateway of a fleet', () => configOf(FLEET_GATEWAY)],
    ['the sidecars of the fleet for a laptop', () => readDeployFile('docker/fleet/sidecar.yaml')],
    ['the gateways of the fleet for a laptop', () => readDeployFile('docker/fleet/gateway.yaml')],
    ['the systemd unit', () => readDeployFile('systemd/faultline.yaml')],
  ])('of %s is valid without a warning, redacts secrets and limits memory', (_, text) => {
    const { settings, complaints } = loadDeployed(text());
    expect(complaints).toEqual([]);
    expect(settings?.service.pipelines['events']?.processors.slice(0, 2)).toEqual(['memory_limiter', 'redaction']);
    expect(settings?.service.extensions).toContain('health_check');
  });

  it.each([
    ['the image', () => readDeployFile('docker/faultline.yaml')],
    ['the gateway', () => configOf(GATEWAY)],
  ])('of %s is invalid without its tokens', (_, text) => {
    const { FAULTLINE_INGEST_TOKEN: _token, ...env } = DEPLOY_ENV;
    expect(loadDeployed(text(), env).complaints.join()).toContain('extensions.bearertokenauth/ingest');
  });
});

describe('the image', () => {
  const lines = readDeployFile('docker/Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const argumentOf = (instruction: string): string | undefined =>
    last.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1);

  it('uses only instructions of Docker', () => {
    const known = /^(?:ARG|FROM|ENV|WORKDIR|COPY|RUN|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) /;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });

  it('is built from a single base image, which is pinned by its version and digest', () => {
    const named = lines.filter((line) => line.startsWith('ARG NODE_IMAGE='));
    expect(named).toEqual([
      expect.stringMatching(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/),
    ]);
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`]));
    expect(readDeployFile('docker/Dockerfile')).not.toMatch(/^# *syntax=/m);
  });

  it('runs as an unprivileged user, with the ports of its configuration and a health check of the process', () => {
    expect(argumentOf('USER')).toBe('10001:10001');
    expect(argumentOf('EXPOSE')).toBe('4317 4318 4319 8888 13133');
    const check: unknown = JSON.parse(argumentOf('HEALTHCHECK')?.split('CMD ')[1] ?? '');
    expect(at(check, 0)).toBe('node');
    const script = String(at(check, 2));
    expect(script).toContain('http://127.0.0.1:13133/live');
    // Nothing listens there, so the check must fail without a timeout from outside.
    const closed = script.replace(':13133', ':1');
    expect(spawnSync(process.execPath, ['-e', closed], { timeout: 20_000 }).status).toBe(1);
  });

  it('copies only files that are not ignored', () => {
    const kept = readDeployFile('docker/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(kept).toEqual(
      expect.arrayContaining([
        'package.json',
        'package-lock.json',
        'tsconfig.json',
        'build.mjs',
        'main.ts',
        'cli.ts',
        'core',
        'docs/configuration.md',
      ]),
    );
    expect(kept).not.toContain('test');
  });

  it('is run by compose read-only, without capabilities, and reachable from this machine only', () => {
    const [compose] = readDocuments('docker/compose.yaml');
    const service = at(compose, 'services', 'faultline');
    expect(at(service, 'build', 'dockerfile')).toBe('collector/deploy/docker/Dockerfile');
    expect([at(service, 'read_only'), at(service, 'cap_drop')]).toEqual([true, ['ALL']]);
    const ports = at(service, 'ports');
    expect(Array.isArray(ports) && ports.every((port) => String(port).startsWith('127.0.0.1:'))).toBe(true);
    expect(Object.keys(Object(at(service, 'environment')))).toEqual(
      ['INGEST_TOKEN', 'READ_TOKEN', 'ACTIONS_TOKEN', 'SENTRY_KEY'].map((name) => `FAULTLINE_${name}`),
    );
  });
});

describe('in Kubernetes', () => {
  it('the sidecar is an init container that keeps running and has a startup probe', () => {
    expect(at(sidecar(), 'restartPolicy')).toBe('Always');
    expect(at(sidecar(), 'startupProbe', 'httpGet', 'path')).toBe('/');
  });

  it.each(IN_KUBERNETES)('%s has probes of a port and host that its configuration serves', (_, path, container) => {
    const { settings } = loadDeployed(configOf(path));
    expect(settings?.extensions['health_check']).toMatchObject({ endpoint: '0.0.0.0:13133', path: '/' });
    for (const probe of ['startupProbe', 'livenessProbe']) {
      const { path: asked, port, httpHeaders } = Object(at(container, probe, 'httpGet'));
      expect([port, httpHeaders]).toEqual(['health', [{ name: 'Host', value: 'localhost' }]]);
      expect(['/', '/live', '/status']).toContain(asked);
    }
    const ports = at(container, 'ports');
    expect(ports).toEqual(expect.arrayContaining([{ name: 'health', containerPort: 13133 }]));
  });

  it.each([...IN_KUBERNETES, ['NATS', FLEET_NATS, gateway(FLEET_NATS)] as const])(
    '%s has no privileges, writes to its data volume only, and has a memory limit',
    (name, _, container) => {
      expect(at(container, 'securityContext')).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(at(container, 'resources', 'limits', 'memory')).toEqual(expect.stringMatching(/^\d+[MG]i$/));
      const mountPath = name === 'NATS' ? '/data' : '/var/lib/faultline';
      expect(at(container, 'volumeMounts')).toEqual(expect.arrayContaining([expect.objectContaining({ mountPath })]));
    },
  );

  it('a gateway gets every variable that its configuration names, and its tokens from a secret', () => {
    checkVariables(GATEWAY, 'faultline-tokens');
    checkVariables(FLEET_GATEWAY, 'faultline-fleet');
  });

  it('the gateway accepts every host name of its service', () => {
    const { settings } = loadDeployed(configOf(GATEWAY), {
      ...DEPLOY_ENV,
      SERVICE_HOST: 'faultline',
      NAMESPACE: 'shop',
    });
    const names = ['faultline', 'faultline.shop', 'faultline.shop.svc', 'faultline.shop.svc.cluster.local'];
    expect(settings?.receivers['events']).toMatchObject({ allowed_hosts: names });
    expect(settings?.receivers['otlp']).toMatchObject({ protocols: { http: { allowed_hosts: names } } });
    expect(settings?.receivers['sentry']).toMatchObject({ allowed_hosts: names });
    expect(settings?.extensions['query']).toMatchObject({ allowed_hosts: names });
  });

  it.each(IN_KUBERNETES)('%s runs the image of this version, without pulling it', (_, _path, container) => {
    const { version } = JSON.parse(readDeployFile('../../package.json'));
    expect([at(container, 'image'), at(container, 'imagePullPolicy')]).toEqual([
      `faultline:${version}`,
      'IfNotPresent',
    ]);
  });

  it('the gateway has one writer, and its service has the ports of its container', () => {
    expect(at(ofKind(GATEWAY, 'StatefulSet'), 'spec', 'replicas')).toBe(1);
    const ports = at(ofKind(GATEWAY, 'Service'), 'spec', 'ports');
    const named = at(gateway(), 'ports');
    const names = Array.isArray(named) ? named.map((port) => at(port, 'name')) : [];
    expect(Array.isArray(ports) && ports.every((port) => names.includes(at(port, 'targetPort')))).toBe(true);
  });
});

describe('a fleet', () => {
  const replicas = (path: string): number => Number(at(ofKind(path, 'StatefulSet'), 'spec', 'replicas'));
  const addresses = (path: string, port: number): string[] => {
    const set = ofKind(path, 'StatefulSet');
    const [name, service] = [at(set, 'metadata', 'name'), at(set, 'spec', 'serviceName')];
    return Array.from({ length: replicas(path) }, (_, ordinal) => `${name}-${ordinal}.${service}:${port}`);
  };
  const natsConf = String(at(ofKind(FLEET_NATS, 'ConfigMap'), 'data', 'nats.conf'));
  const [compose] = readDocuments('docker/fleet.compose.yaml');
  const services = Object.entries(Object(at(compose, 'services'))).map(([name, service]) => ({ name, service }));

  it('divides the partitions among as many gateways as there are, each with all as peers, and a budget for disruptions', () => {
    const { settings } = loadDeployed(configOf(FLEET_GATEWAY));
    expect(settings?.receivers['nats']).toMatchObject({ own: `ordinal/${replicas(FLEET_GATEWAY)}` });
    const peers = addresses(FLEET_GATEWAY, 4319).map((address) => `http://${address}`);
    expect(settings?.extensions['query']).toMatchObject({
      peers,
      allowed_hosts: expect.arrayContaining(['faultline-gateway-0.faultline-gateway']),
    });
    expect(at(ofKind(FLEET_GATEWAY, 'PodDisruptionBudget'), 'spec', 'maxUnavailable')).toBe(1);
  });

  it('connects its collectors to all NATS servers, which the network policy lets them reach', () => {
    const servers = addresses(FLEET_NATS, 4222).map((address) => `nats://${address}`);
    expect(loadDeployed(configOf(FLEET_GATEWAY)).settings?.receivers['nats']).toMatchObject({ servers });
    expect(loadDeployed(configOf(FLEET_SIDECAR)).settings?.exporters['nats']).toMatchObject({ servers });
    const [rule] = Object(at(ofKind(FLEET_NATS, 'NetworkPolicy'), 'spec', 'ingress'));
    const allowed = at(rule, 'from', 0, 'podSelector', 'matchLabels');
    for (const [path, kind] of [
      [FLEET_GATEWAY, 'StatefulSet'],
      [FLEET_SIDECAR, 'Deployment'],
    ] as const) {
      expect(at(ofKind(path, kind), 'spec', 'template', 'metadata', 'labels')).toMatchObject(Object(allowed));
    }
  });

  it('has three NATS servers on different nodes, with routes to each other, that sync each write to a volume', () => {
    expect(replicas(FLEET_NATS)).toBe(3);
    for (const address of addresses(FLEET_NATS, 6222)) expect(natsConf).toContain(`nats-route://${address}`);
    expect(natsConf).toMatch(/jetstream \{ store_dir: \/data, sync_interval: always, /);
    const set = ofKind(FLEET_NATS, 'StatefulSet');
    const affinity = at(set, 'spec', 'template', 'spec', 'affinity', 'podAntiAffinity');
    expect(Object.keys(Object(affinity))).toEqual(['requiredDuringSchedulingIgnoredDuringExecution']);
    expect(at(set, 'spec', 'volumeClaimTemplates', 0, 'metadata', 'name')).toBe('data');
    expect(at(ofKind(FLEET_NATS, 'PodDisruptionBudget'), 'spec', 'maxUnavailable')).toBe(1);
    expect(at(ofKind(FLEET_NATS, 'Service'), 'spec')).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
    });
  });

  it('runs on a laptop as in Kubernetes: read-only, without capabilities, reachable from this machine only', () => {
    expect(services.map(({ name }) => name)).toEqual([
      'nats-0',
      'nats-1',
      'nats-2',
      'gateway-0',
      'gateway-1',
      'sidecar-0',
      'sidecar-1',
    ]);
    for (const { name, service } of services) {
      expect([at(service, 'read_only'), at(service, 'cap_drop')]).toEqual([true, ['ALL']]);
      expect(Object(at(service, 'volumes'))[1]).toMatch(new RegExp(`^${name}:/`));
      const ports = at(service, 'ports') ?? [];
      expect(Array.isArray(ports) && ports.every((port) => String(port).startsWith('127.0.0.1:'))).toBe(true);
    }
    const { settings } = loadDeployed(readDeployFile('docker/fleet/gateway.yaml'));
    expect(settings?.extensions['query']).toMatchObject({ peers: ['http://gateway-0:4319', 'http://gateway-1:4319'] });
    const conf = readDeployFile('docker/fleet/nats.conf');
    expect(conf).toContain('routes: [nats-route://nats-0:6222, nats-route://nats-1:6222, nats-route://nats-2:6222]');
    expect(conf).toContain('sync_interval: always');
  });
});

describe('the systemd unit', () => {
  const unit = readDeployFile('systemd/faultline.service');
  const settings = new Map(
    unit.split('\n').flatMap((line) => {
      const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value ?? '']];
    }),
  );

  it('checks the configuration before it starts, reloads by SIGHUP, and allows more time for a stop than the stop takes', () => {
    expect(settings.get('ExecStartPre')).toContain(' validate ');
    expect(settings.get('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(5);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  const itWithSystemd = hasSystemd ? it : it.skip;
  itWithSystemd("is right by systemd's own check, and little exposed", () => {
    const path = fileURLToPath(new URL('../../../collector/deploy/systemd/faultline.service', import.meta.url));
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' }).stderr).toBe('');
    const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=30', path], {
      encoding: 'utf8',
    });
    expect(report).toContain('Overall exposure level');
  });
});
