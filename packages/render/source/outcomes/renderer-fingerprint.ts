import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Packages whose code decides what a render gives. */
const packages = [
  'render/source',
  'render/helm',
  'render/kustomize',
  'foundation/template',
  'foundation/yaml',
  'render/jsonnet',
  'foundation/glob',
  'sources/git',
  'sources/registry',
  'foundation/kubernetes',
];

/**
 * Differs where another code, or another engine, would render: what an older Tiphys rendered, or a replica of another version,
 * is not found.
 */
export async function rendererFingerprint(root = join(import.meta.dirname, '..', '..', '..')): Promise<string> {
  const digest = createHash('sha256').update(process.versions.v8);
  for (const name of packages) {
    const folder = join(root, name);
    const files = (await readdir(folder, { recursive: true }).catch(() => []))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('node_modules'))
      .sort();
    for (const file of files) digest.update(`${name}/${file}\0`).update(await readFile(join(folder, file)));
  }
  return digest.digest('hex').slice(0, 24);
}
