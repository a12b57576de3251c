import { resolve } from 'node:path';
import { build } from 'esbuild';

/** Bundles a source file without packages, for a process that a test starts; returns the path. It lies in dist/, where Node finds the packages. */
export async function buildModule(source: string): Promise<string> {
  const outfile = resolve('dist/test-modules', `${source.replaceAll('/', '-')}.mjs`);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return outfile;
}
