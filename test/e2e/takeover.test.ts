import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import {
  type OciRegistryServer,
  startHelmRepository,
  startOciRegistry,
  type TestServer,
} from '@tiphys/registry/testing';
import type { TestRepository } from './repository.ts';
import {
  type Installation,
  installationApplications,
  installationChart,
  installationFiles,
  installationPackage,
  installationProjects,
  installationSet,
  laterFiles,
} from './takeover-installation.ts';
import { World } from './world.ts';

/** Applications and live objects as Argo CD 3.5.1 left them on a kube-apiserver 1.34, with names of the place taken out. */
const recorded = readFileSync(join(import.meta.dirname, 'testdata', 'argocd-namespace.json'), 'utf8');

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'boats.takeover.example',
};

let world: World;
let charts: TestServer;
let registry: OciRegistryServer;
before(async () => {
  world = await World.start();
  const { name, version } = installationChart;
  const repository = await startHelmRepository();
  repository.add(name, version, installationPackage());
  charts = repository;
  registry = await startOciRegistry();
  registry.pushChart(`charts/${name}`, version, installationPackage());
});
after(async () => {
  await world.client.delete(definition).catch(() => undefined);
  await world.close();
  await Promise.all([charts.close(), registry.close()]);
});

const withGeneration = (object: KubeObject) => object.metadata as KubeObject['metadata'] & { generation?: number };

/** The namespaces of the installation with everything that Argo CD reads, but no application. */
async function prepare(repository: TestRepository): Promise<Installation> {
  const { bearerToken, tls = {} } = world.cluster.config;
  const of: Installation = {
    repository: repository.url,
    charts: charts.url,
    registry: `${registry.host}/charts`,
    control: world.namespace,
    tenants: await world.targetNamespace(),
    target: await world.targetNamespace(),
    scope: await world.targetNamespace(),
    // the path tells the registration from that of the cluster itself; the API server does not see the query
    scopedServer: `${world.cluster.config.server}?taken-over`,
  };
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const config = {
    ...(bearerToken ? { bearerToken } : {}),
    tlsClientConfig: {
      insecure: true,
      ...(tls.cert ? { certData: encode(tls.cert) } : {}),
      ...(tls.key ? { keyData: encode(tls.key) } : {}),
    },
  };
  const secret = (name: string, type: string, stringData: Record<string, string>) =>
    world.client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: of.control, labels: { 'argocd.argoproj.io/secret-type': type } },
      stringData,
    });
  await secret('charts', 'repository', { type: 'helm', name: 'charts', url: of.charts });
  await secret('registry', 'repository', {
    type: 'helm',
    name: 'registry',
    url: of.registry,
    enableOCI: 'true',
    insecureOCIForceHttp: 'true',
  });
  await secret('scoped', 'cluster', {
    name: 'scoped',
    server: of.scopedServer,
    namespaces: of.scope,
    config: JSON.stringify(config),
  });
  const parameters = { apiVersion: 'v1', kind: 'ConfigMap', namespace: of.control, name: 'argocd-cmd-params-cm' };
  await world.client.patch(parameters, 'merge', { data: { 'application.namespaces': of.tenants } });
  for (const project of installationProjects(of)) await world.client.create(project);
  return of;
}

test('an installation of Argo CD is taken over: everything is recognised, and nothing in the cluster changes', async () => {
  const repository = world.repository(installationFiles);
  await world.stop();
  const of = await prepare(repository);
  const commit = repository.commit(laterFiles);
  const set = await world.client.create(installationSet(of));
  const { applications, live } = JSON.parse(
    recorded
      .replaceAll('$REPOSITORY', of.repository)
      .replaceAll('$CHARTS', of.charts)
      .replaceAll('$REGISTRY', of.registry)
      .replaceAll('$SCOPED_SERVER', of.scopedServer)
      .replaceAll('$TARGET', of.target)
      .replaceAll('$SCOPE', of.scope)
      .replaceAll('$TENANTS', of.tenants)
      .replaceAll('$CONTROL', of.control)
      .replaceAll('$SET_UID', set.metadata.uid ?? ''),
  ) as { applications: Application[]; live: KubeObject[] };
  const names = (listed: readonly Application[]) => listed.map(({ metadata }) => metadata.name ?? '');
  assert.deepEqual(names(applications).sort(), [...names(installationApplications(of)), 'generated'].sort());
  const before: KubeObject[] = [];
  for (const object of live) {
    await world.client.create(object);
    const { apiVersion, kind, metadata } = object;
    const ref = { apiVersion, kind, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
    if (kind === definition.kind)
      await world.waitFor({ ...ref, name: definition.name }, 'established', (crd) =>
        JSON.stringify(crd?.status ?? {}).includes('"type":"Established"'),
      );
    before.push(object);
  }
  for (const [index, { apiVersion, kind, metadata }] of before.entries())
    before[index] = await world.client.get({
      apiVersion,
      kind,
      name: metadata.name ?? '',
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    });
  for (const application of applications) await world.client.create(application);
  await world.restart();

  for (const recordedApplication of applications) {
    const { metadata, status } = recordedApplication;
    const { name = '', namespace = '' } = metadata;
    const wanted = status?.sync?.status;
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name };
    const now = await world.waitFor<Application>(
      ref,
      `${name} recognised as ${wanted}`,
      (app) => {
        const seen = app?.status?.sync;
        const isNew = (app?.status?.reconciledAt ?? '') > (status?.reconciledAt ?? '');
        const inGit = JSON.stringify(status?.sync?.comparedTo ?? {}).includes(of.repository);
        return seen?.status === wanted && isNew && (!inGit || JSON.stringify(seen).includes(commit));
      },
      (app) => JSON.stringify(app?.status, undefined, 1),
    );
    assert.equal(now?.status?.history?.length, status?.history?.length, `${name} was not synced again`);
    assert.equal(now?.operation, undefined, name);
    assert.deepEqual(now?.metadata.finalizers, metadata.finalizers, name);
  }
  for (const was of before) {
    const { apiVersion, kind, metadata } = was;
    const name = metadata.name ?? '';
    const id = `${kind} ${name}`;
    const now = await world.client.get({
      apiVersion,
      kind,
      name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    });
    // the controllers of Deployments write a revision and a status of their own
    const own = ({ metadata: { annotations = {} } }: KubeObject) => {
      const { 'deployment.kubernetes.io/revision': _revision, ...rest } = annotations;
      return rest;
    };
    if (kind === 'Deployment') assert.deepEqual([own(now), now.spec], [own(was), was.spec], id);
    else {
      assert.equal(withGeneration(now).generation, withGeneration(was).generation, id);
      assert.deepEqual(now.metadata.managedFields, metadata.managedFields, id);
      assert.equal(now.metadata.resourceVersion, metadata.resourceVersion, `${id} changed`);
    }
  }
});
