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
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';
import { assertRecognised, assertUnchanged, createLive } from './taken-over.ts';
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
  world = await World.start({ alone: true });
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
  const before = await createLive(world, live);
  for (const application of applications) await world.client.create(application);
  await world.restart();

  for (const application of applications)
    await assertRecognised(world, application, { repository: of.repository, commit });
  for (const was of before) await assertUnchanged(world, was);
});
