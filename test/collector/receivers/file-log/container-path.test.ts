import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fillTemplate, ownerOf } from '../../../../collector/receivers/file-log/container-path.js';
import type { FileLogReceiverSettings } from '../../../../generated/settings.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { errorLine, FollowedLogs } from './followed-logs.js';

afterAll(removeTemporaryFolders);

const ID = '0123456789abcdef'.repeat(4);

async function payloadAt(path: string, defaults: FileLogReceiverSettings['defaults'] = { env: 'production' }) {
  const logs = await FollowedLogs.make();
  const file = join(logs.folder, path);
  await mkdir(dirname(file), { recursive: true });
  await logs.start({ include: [join(logs.folder, 'var/**/*.log')], defaults });
  await writeFile(file, errorLine('one'));
  await waitFor('the event', () => logs.payloads.length === 1);
  await logs.stop();
  const [payload] = logs.payloads;
  return payload;
}

describe('the path of a container log', () => {
  it('names the pod in the folders of Kubernetes', async () => {
    const path = 'var/log/pods/shop_checkout-7d9f8b6c5d-x2lkp_4a1c2f6e-8f0a-4c7e-9d55-0b1e2d3c4f5a/web/3.log';
    expect(await payloadAt(path)).toMatchObject({
      app: 'checkout',
      service: 'web',
      env: 'production',
      tags: { 'k8s.namespace.name': 'shop', 'k8s.pod.name': 'checkout-7d9f8b6c5d-x2lkp', 'k8s.container.name': 'web' },
    });
  });

  it('names the container in the links of Kubernetes', async () => {
    expect(await payloadAt(`var/log/containers/db-0_shop_post-gres-${ID}.log`)).toMatchObject({
      app: 'db',
      service: 'post-gres',
      tags: {
        'k8s.namespace.name': 'shop',
        'k8s.pod.name': 'db-0',
        'k8s.container.name': 'post-gres',
        'container.id': ID,
      },
    });
  });

  it('has the id in the folders of Docker, and the same service for each container', async () => {
    expect(await payloadAt(`var/lib/docker/containers/${ID}/${ID}-json.log`)).toMatchObject({
      app: 'docker',
      service: 'docker',
      tags: { 'container.id': ID },
    });
  });

  it('fills the templates of the settings, and one that it cannot fill counts as absent', async () => {
    const defaults = { app: '{namespace}', service: '{owner}-{container}', env: '{namespace}' };
    const path = 'var/log/pods/shop_checkout-7d9f8b6c5d-x2lkp_4a1c2f6e/web/0.log';
    expect(await payloadAt(path, defaults)).toMatchObject({ app: 'shop', service: 'checkout-web', env: 'shop' });
    expect(await payloadAt('var/log/api.log', defaults)).toMatchObject({
      app: 'api',
      service: 'api',
      env: 'production',
    });
  });

  it('leaves text in braces that names nothing as it is', () => {
    expect(fillTemplate('{file}-{__proto__}-{x}-{constructor}', '/var/log/api.log')).toBe(
      'api-{__proto__}-{x}-{constructor}',
    );
  });

  it.each([
    ['checkout-7d9f8b6c5d-x2lkp', 'checkout'],
    ['checkout-api-v2-6b7c9d8f54-zz9xq', 'checkout-api-v2'],
    ['node-exporter-x2lkp', 'node-exporter'],
    ['db-primary-12', 'db-primary'],
    ['nightly-28912345-x2lkp', 'nightly'],
    ['etcd-master', 'etcd-master'],
    ['x2lkp', 'x2lkp'],
    ['-0', '-0'],
  ])('names the owner of %s', (pod, owner) => {
    expect(ownerOf(pod)).toBe(owner);
  });
});
