import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BasePackage } from './debian-base.ts';

export interface BillOptions {
  /** Folder with the `node_modules` that were installed. */
  readonly app: string;
  readonly version: string;
  readonly commit: string;
  /** Version of Go, whose standard library is in the wrapper of workflows' commands. */
  readonly go: string;
  readonly base: readonly BasePackage[];
}

/** What an image is made of, as CycloneDX 1.6 JSON: Debian's packages, Go's standard library and packages of npm, with versions and licences. */
export function billOfMaterials({ app, version, commit, go, base }: BillOptions): string {
  const debian = base.map(({ name, version: of, sha256 }) => ({
    type: 'library',
    name,
    version: of,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(of)}`,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name: 'tiphys',
        version,
        purl: `pkg:generic/tiphys@${version}?vcs_revision=${commit}`,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: [...debian, standardLibrary(go), ...npmComponents(app)],
  };
  return `${JSON.stringify(bill, undefined, 1)}\n`;
}

function standardLibrary(go: string): object {
  const version = go.replace(/^go/, '');
  const licenses = [{ license: { id: 'BSD-3-Clause' } }];
  return { type: 'library', name: 'stdlib', version, purl: `pkg:golang/stdlib@${version}`, licenses };
}

function npmComponents(app: string): object[] {
  const found = new Map<string, object>();
  for (const file of globSync(
    ['node_modules/*/package.json', 'node_modules/@*/*/package.json', 'node_modules/**/node_modules/*/package.json'],
    { cwd: app },
  ).sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(app, file), 'utf8'));
    if (!name || !version || name.startsWith('@tiphys/')) continue;
    found.set(`${name}@${version}`, {
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      ...(typeof license === 'string' ? { licenses: [{ expression: license }] } : {}),
    });
  }
  return [...found.values()];
}
