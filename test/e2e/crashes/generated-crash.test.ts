import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { type Client, systemClock } from '@tiphys/kubernetes';
import { Installation } from '../support/installation.ts';
import { TestRepository } from '../support/repository.ts';

/**
 * Each commit adds a Secret whose password a chart generates, and the process is killed while it renders, records and applies.
 * No password may ever have been seen with two values, and in the end what is live is what is recorded.
 */
const kills = 8;

let folder: string;
let installation: Installation;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-generated-crash-'));
  installation = new Installation(folder, 'generated-crash-control');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const template = `{{ range until (int .Values.count) }}---
apiVersion: v1
kind: Secret
metadata: {name: "password-{{ . }}"}
stringData: {value: {{ randAlphaNum 24 }}}
{{ end }}`;
const files = (count: number) => ({
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'values.yaml': `count: ${count}\n`,
  'templates/a.yaml': template,
});
const target = 'generated-crash-target';
const seen = new Map<string, Set<string>>();

async function look(client: Client): Promise<number> {
  const { items } = await client.list({ apiVersion: 'v1', kind: 'Secret', namespace: target });
  const passwords = items.filter(({ metadata }) => metadata.name?.startsWith('password-'));
  for (const { metadata, data } of passwords) {
    const values = seen.get(metadata.name ?? '') ?? new Set();
    seen.set(metadata.name ?? '', values.add((data as Record<string, string>).value ?? ''));
  }
  return passwords.length;
}

test(`no generated value changes in ${kills} kills`, { timeout: 600_000 }, async () => {
  const repository = new TestRepository(files(1));
  try {
    let instance = installation.start();
    await instance.up;
    const { namespace } = installation;
    const client = installation.client();
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: target } });
    await client.create<Application>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'passwords', namespace },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: '.', targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: target },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    });
    await client.close();
    for (let kill = 1; kill <= kills; kill++) {
      await instance.up;
      const live = installation.client();
      repository.commit(files(kill + 1), `Password ${kill}`);
      // The later kills come after more of the work was done.
      await systemClock.sleep(60 * kill);
      await look(live);
      await live.close();
      await instance.kill();
      instance = installation.start();
    }
    await instance.up;
    const last = installation.client();
    const deadline = systemClock.now() + 180_000;
    while ((await look(last)) < kills + 1) {
      assert.ok(systemClock.now() < deadline, `only ${seen.size} of ${kills + 1} passwords are there`);
      await systemClock.sleep(100);
    }
    for (const [name, values] of seen) assert.equal(values.size, 1, `${name} had ${values.size} values`);
    const recorded = await last.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      name: 'tiphys-generated-passwords',
    });
    const text = Buffer.from((recorded.data as Record<string, string>)['values.json'] ?? '', 'base64').toString();
    for (const [name, values] of seen)
      for (const value of values)
        assert.ok(text.includes(Buffer.from(value, 'base64').toString()), `${name} is what is recorded`);
    await last.close();
    await instance.kill();
  } finally {
    repository.remove();
  }
});
