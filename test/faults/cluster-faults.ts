import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@tiphys/kubernetes';
import { makeCertificate } from '../../packages/sources/git/testing/index.ts';
import { freePort } from '../../scripts/testing/free-ports.ts';
import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';
import { addressOf, goodConfig, register, reregister } from './registered-cluster.ts';

/** The sandbox once more, under its own address, with another token. */
const again = ({ world }: Stage, token: string | undefined) => ({
  server: world.cluster.config.server.replace('127.0.0.1', 'localhost'),
  config: goodConfig({ world } as Stage, { bearerToken: token }),
});

/** A token of a service account that may see everything and change ConfigMaps alone. */
async function narrowToken(stage: Stage): Promise<string> {
  const { namespace, name } = stage;
  await stage.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'narrow', namespace } });
  const roleOf = (rules: object[]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
  });
  await stage.create(
    roleOf([
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
    ]) as KubeObject,
  );
  await stage.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'narrow', namespace }],
  });
  const answer = await stage.world.client.request(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/narrow/token`,
    {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    },
  );
  return ((await answer.json()) as { status: { token: string } }).status.token;
}

/** Addresses and authorities that rows gave away, by the name of the stage. */
const silent = new Map<string, string>();
const authorities = new Map<string, { readonly server: string; readonly ca: string }>();

export const clusterFaults: readonly Fault[] = [
  {
    id: 'C17',
    title: 'a cluster at whose address nothing listens',
    cluster: true,
    inject: async (stage) => {
      const { protocol } = new URL(stage.world.cluster.config.server);
      const server = `${protocol}//127.0.0.1:${await freePort()}`;
      silent.set(stage.name, server);
      await register(stage, { server, config: goodConfig(stage) });
    },
    code: 'ClusterConnectionRefused',
    contains: [/Nothing listens at 127\.0\.0\.1:\d+: the API server is down/],
    mend: (stage) => addressOf(stage, { port: Number(new URL(silent.get(stage.name) as string).port) }),
  },
  {
    id: 'C17',
    title: 'a cluster that does not accept the token',
    cluster: true,
    inject: (stage) => register(stage, again(stage, 'MARKER-no-token-of-this-cluster')),
    code: 'ClusterUnauthorized',
    contains: [/does not accept the credential/, /Rotate the token/],
    excludes: [/ClusterCertificate|ClusterConnectionRefused/],
    mend: (stage) => reregister(stage, again(stage, stage.world.cluster.config.bearerToken)),
  },
  {
    id: 'C17',
    title: 'a cluster whose certificate nobody here knows',
    cluster: true,
    inject: async (stage) => {
      const folder = mkdtempSync(join(tmpdir(), 'tiphys-tls-'));
      const secure = makeCertificate(folder);
      rmSync(folder, { recursive: true });
      const server = await addressOf(stage, { secure });
      authorities.set(stage.name, { server, ca: secure.cert });
      await register(stage, { server, config: goodConfig(stage, { tlsClientConfig: { insecure: false } }) });
    },
    code: 'ClusterCertificateUntrusted',
    contains: [/authority that is not trusted/, /Give the CA of the cluster/],
    mend: async (stage) => {
      const { server, ca } = authorities.get(stage.name) as { server: string; ca: string };
      const tlsClientConfig = { insecure: false, caData: Buffer.from(ca).toString('base64') };
      await reregister(stage, { server, config: goodConfig(stage, { tlsClientConfig }) });
    },
  },
  {
    id: 'ClusterRegisteredTwice',
    title: 'two Secrets that register one cluster',
    inject: async (stage) => {
      const { config } = stage.world.cluster;
      for (const which of ['first', 'second'])
        await stage.create({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: {
            name: `cluster-${which}-${stage.name}`,
            namespace: stage.world.namespace,
            labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
          },
          stringData: {
            name: `${which}-${stage.name}`,
            server: config.server,
            config: JSON.stringify({
              bearerToken: which === 'first' ? config.bearerToken : 'MARKER-other',
              tlsClientConfig: config.tls?.ca ? { caData: Buffer.from(config.tls.ca).toString('base64') } : {},
            }),
          },
        });
      await stage.patch({ destination: { server: null, name: `first-${stage.name}` } });
    },
    code: 'ClusterRegisteredTwice',
    contains: [/credential of cluster-first-/, /cluster-second-/, /spec\.destination\.name/],
    excludes: [/ClusterUnauthorized/],
    mend: ({ world, name }) =>
      world.client.delete({
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: world.namespace,
        name: `cluster-second-${name}`,
      }),
  },
  {
    id: 'C20',
    title: 'an object of two applications',
    inject: async (stage) => {
      // two that take it from each other would show it in turns
      await stage.patch({ syncPolicy: null });
      const repository = stage.world.repository({ 'app/a.yaml': configMap('a', 'of the other') });
      await stage.world.createApplication(`${stage.name}-other`, repository, {
        path: 'app',
        targetNamespace: stage.namespace,
        syncPolicy: { automated: {} },
      });
    },
    code: 'SharedResource',
    contains: [/ConfigMap\/a is part of applications/, /-other/],
    mend: async ({ world, name, patch }) => {
      await world.client.delete(world.applicationRef(`${name}-other`));
      await patch({ syncPolicy: { automated: { selfHeal: true } } });
    },
  },
  {
    id: 'C1',
    title: 'an identity that may not create an object',
    inject: async (stage) => {
      await register(stage, again(stage, await narrowToken(stage)));
      stage.commit({ 'app/b.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: b}\n' });
      await stage.patch({ destination: { server: null, name: stage.name } });
    },
    code: 'AccessDenied',
    contains: [/may not create secrets/, /system:serviceaccount:.*:narrow/, /verbs: \[\\"create\\"\]/, /app\/b\.yaml/],
    mend: (stage) =>
      stage.world.client.patch(
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: stage.name },
        'merge',
        { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
      ),
  },
  {
    id: 'C13',
    title: 'an API group whose server is gone',
    files: { 'app/a.yaml': configMap('a', 'one') },
    inject: async (stage) => {
      const group = `${stage.name}.shop.example`;
      await stage.create({
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v1.${group}` },
        spec: {
          group,
          version: 'v1',
          service: { name: 'gone', namespace: stage.namespace },
          groupPriorityMinimum: 100,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
        },
      });
      stage.commit({ 'app/b.yaml': `apiVersion: ${group}/v1\nkind: Basket\nmetadata: {name: b}\n` });
    },
    code: 'SyncApiGroupUnavailable',
    contains: [/APIService v1\./, /gone/],
    excludes: [/CustomResourceDefinition/],
    mend: async (stage) => stage.commit({ 'app/b.yaml': undefined }),
  },
  {
    id: 'C4',
    title: 'a conversion webhook that is down',
    inject: async (stage) => {
      const group = `${stage.name}.shop.example`;
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `baskets.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Basket', plural: 'baskets', singular: 'basket' },
          conversion: {
            strategy: 'Webhook',
            webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/convert' } },
          },
          versions: [
            { name: 'v1', served: true, storage: true, schema },
            { name: 'v2', served: true, storage: false, schema },
          ],
        },
      };
      await stage.create(definition);
      await stage.world.waitFor(
        { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: definition.metadata.name },
        'the definition to be established',
        (found) =>
          ((found?.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
            ({ type, status }) => type === 'Established' && status === 'True',
          ),
      );
      stage.commit({ 'app/b.yaml': `apiVersion: ${group}/v2\nkind: Basket\nmetadata: {name: b}\n` });
    },
    code: 'WebhookUnavailable',
    contains: [/conversion webhook of .*Basket could not be called/, /spec\.conversion/, /app\/b\.yaml/],
    excludes: [/failurePolicy/],
    mend: async (stage) => stage.commit({ 'app/b.yaml': undefined }),
  },
  {
    id: 'M11',
    title: 'a kind whose definition another application ships',
    inject: async (stage) => {
      const group = `${stage.name}.shop.example`;
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `baskets.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Basket', plural: 'baskets', singular: 'basket' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      };
      const repository = stage.world.repository({ 'app/crd.yaml': JSON.stringify(definition) });
      await stage.world.createApplication(`${stage.name}-crds`, repository, {
        path: 'app',
        targetNamespace: stage.namespace,
      });
      await stage.world.waitForApplication(
        `${stage.name}-crds`,
        'compared',
        ({ status }) => status?.sync?.status === 'OutOfSync',
      );
      stage.commit({ 'app/b.yaml': `apiVersion: ${group}/v1\nkind: Basket\nmetadata: {name: b}\n` });
    },
    code: 'SyncKindMissing',
    contains: [/Basket/, /-crds \(OutOfSync, Missing\)/, /argocd app sync .*-crds/],
    mend: (stage) =>
      stage.world.client.patch(stage.world.applicationRef(`${stage.name}-crds`), 'merge', { operation: { sync: {} } }),
  },
];
