import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import {
  type HelmRepositoryServer,
  makeSigner,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { World } from '../support/world.ts';

let world: World;
let repository: HelmRepositoryServer;
let registry: OciRegistryServer;
before(async () => {
  world = await World.start();
  repository = await startHelmRepository();
  registry = await startOciRegistry();
});
after(async () => {
  await world.close();
  await repository.close();
  await registry.close();
});

async function project(name: string, policies: string): Promise<void> {
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: world.namespace, annotations: { 'tiphys.dev/chart-integrity': policies } },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  } as KubeObject);
}

async function application(name: string, inProject: string, source: object): Promise<void> {
  const namespace = await world.targetNamespace();
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: world.namespace },
    spec: {
      project: inProject,
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: { automated: {} },
    },
  } as KubeObject);
}

async function told(name: string, words: RegExp, operation?: string): Promise<void> {
  const { status } = await world.waitForApplication(name, String(words), (app) =>
    Boolean(
      app.status?.conditions?.some(({ type, message = '' }) => type === 'ComparisonError' && words.test(message)),
    ),
  );
  assert.equal(status?.operationState?.startedAt, operation);
}

/** Files that make another package of a version. */
const others = { 'templates/other.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n' };

const refresh = (name: string) => world.rest('GET', `/api/v1/applications/${name}?refresh=hard`);

test('charts are synced once their provenance is of a key that the project names', async () => {
  const [signer, other] = [await makeSigner(), await makeSigner()];
  const keys = { apiVersion: 'v1', kind: 'ConfigMap', name: 'argocd-gpg-keys-cm', namespace: world.namespace };
  await world.client.patch(keys, 'merge', {
    data: { [signer.fingerprint.slice(-16)]: signer.armoredKey, [other.fingerprint.slice(-16)]: other.armoredKey },
  });
  await project(
    'proved',
    `- repos: [{url: "${repository.url}*"}]\n  provenance: {keys: [${signer.fingerprint.slice(-16)}]}`,
  );
  const archive = packageChart('web', '1.0.0');
  const source = { repoURL: repository.url, chart: 'web', targetRevision: '1.0.0' };
  repository.add('web', '1.0.0', archive);
  await application('unsigned', 'proved', source);
  await told('unsigned', /404|provenance/);
  const fileName = 'web-1.0.0.tgz';
  const add = async (by: typeof signer, of: Uint8Array) =>
    repository.add('web', '1.0.0', archive, Buffer.from(await by.sign(of, fileName)));
  await add(other, archive);
  await refresh('unsigned');
  await told('unsigned', new RegExp(`signed by the key ${other.fingerprint}, which the project does not name`));
  await add(signer, packageChart('web', '6.6.6'));
  await refresh('unsigned');
  await told('unsigned', /sha256 sum does not match/);
  await add(signer, archive);
  await refresh('unsigned');
  const { status } = await world.healthy('unsigned');
  assert.equal(status?.conditions, undefined);

  // the same version with other bytes: what is rendered now is not what was proved
  repository.replace('web', '1.0.0', packageChart('web', '1.0.0', others));
  await refresh('unsigned');
  await told('unsigned', /sha256 sum does not match/, status?.operationState?.startedAt);
  repository.replace('web', '1.0.0', archive);
  await refresh('unsigned');
  const back = await world.waitForApplication('unsigned', 'what was proved', (app) => !app.status?.conditions?.length);
  assert.equal(back.status?.operationState?.startedAt, status?.operationState?.startedAt);
});

test('artifacts of registries are synced once cosign signed their digest with a key that the project names', async () => {
  const [own, other] = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ];
  const pem = own.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const repoURL = `${registry.host}/charts`;
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'registry',
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'repository' },
    },
    stringData: { type: 'helm', enableOCI: 'true', insecureOCIForceHttp: 'true', url: repoURL },
  } as KubeObject);
  const policies = [{ repos: [{ url: `${repoURL}*` }], cosign: { publicKeys: [pem] } }];
  await project('cosigned', JSON.stringify(policies));
  const digest = registry.pushChart('charts/web', '2.0.0', packageChart('web', '2.0.0'));
  const signed = (by: typeof own, of: string, at = digest) => {
    const critical = {
      identity: {},
      image: { 'docker-manifest-digest': of },
      type: 'cosign container image signature',
    };
    const data = Buffer.from(JSON.stringify({ critical, optional: null }));
    const signature = sign('sha256', data, by.privateKey).toString('base64');
    const annotations = { 'dev.cosignproject.cosign/signature': signature };
    const layer = { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', data, annotations };
    registry.push('charts/web', `${at.replace(':', '-')}.sig`, { layers: [layer] });
  };
  await application('cosigned', 'cosigned', { repoURL, chart: 'web', targetRevision: '2.0.0' });
  await told('cosigned', /it has no signature \(tag sha256-/);
  signed(other, digest);
  await refresh('cosigned');
  await told('cosigned', /none of its 1 signatures is of a key that the project names/);
  signed(own, `sha256:${'0'.repeat(64)}`);
  await refresh('cosigned');
  await told('cosigned', /none of its 1 signatures/);
  signed(own, digest);
  await refresh('cosigned');
  const { status } = await world.healthy('cosigned');

  const moved = registry.pushChart('charts/web', '2.0.0', packageChart('web', '2.0.0', others));
  await refresh('cosigned');
  await told('cosigned', /it has no signature \(tag sha256-/, status?.operationState?.startedAt);
  signed(own, moved, moved);
  await refresh('cosigned');
  // upstream rule: automated sync has been at this version
  await world.waitForApplication('cosigned', 'what the tag stands for now', ({ status: now }) =>
    Boolean(!now?.conditions?.length && now?.sync?.status === 'OutOfSync'),
  );
});

test('a policy that cannot be read trusts nothing', async () => {
  repository.add('plain', '1.0.0', packageChart('plain', '1.0.0'));
  const source = { repoURL: repository.url, chart: 'plain', targetRevision: '1.0.0' };
  const mistakes: Record<string, [string, RegExp]> = {
    mistaken: ['provenence: {keys: [A]}', /chart-integrity of AppProject mistaken: \[0\]\.provenence is no field/],
    inside: ['provenance: {keys: [A], mode: head}', /\[0\]\.provenance\.mode is no field; there is keys/],
    keyless: ['cosign: {identities: [a@b.c]}', /\[0\]\.cosign\.identities: keyless signatures are not read/],
    notation: ['notation: {trustStores: [a]}', /\[0\]\.notation: signatures of notation are not read/],
  };
  for (const [name, [policy, words]] of Object.entries(mistakes)) {
    await project(name, `- repos: [{url: "*"}]\n  ${policy}`);
    await application(name, name, source);
    await told(name, words);
  }
});
