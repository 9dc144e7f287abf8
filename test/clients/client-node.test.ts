import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  VersionApi,
} from '@kubernetes/client-node';
import { servers } from './servers.ts';

/** `@kubernetes/client-node`, as its own examples use it. */
for (const [name, start] of Object.entries(servers))
  describe(`@kubernetes/client-node on ${name}`, () => {
    const config = new KubeConfig();
    const namespace = `client-node-${process.pid}`;
    let core: CoreV1Api;
    let close: () => Promise<void>;
    before(async () => {
      const server = await start();
      close = server.close;
      config.loadFromString(server.kubeconfig);
      core = config.makeApiClient(CoreV1Api);
      await core.createNamespace({ body: { metadata: { name: namespace } } });
    });
    after(async () => {
      await core.deleteNamespace({ name: namespace });
      await close();
    });

    test('reads the version and lists across namespaces', async () => {
      const { gitVersion } = await config.makeApiClient(VersionApi).getCode();
      assert.match(gitVersion, /^v1\.34\./);
      const { items } = await core.listNamespace({ labelSelector: `kubernetes.io/metadata.name=${namespace}` });
      assert.equal(items.length, 1);
    });

    test('creates, patches, scales and deletes', async () => {
      const apps = config.makeApiClient(AppsV1Api);
      const labels = { app: 'web' };
      await apps.createNamespacedDeployment({
        namespace,
        body: {
          metadata: { name: 'web' },
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
          },
        },
      });
      const patched = await apps.patchNamespacedDeployment(
        { name: 'web', namespace, body: { metadata: { annotations: { touched: 'yes' } } } },
        setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
      );
      assert.equal(patched.metadata?.annotations?.touched, 'yes');
      const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace });
      assert.equal(scale.spec?.replicas ?? 0, 0);
      await apps.deleteNamespacedDeployment({ name: 'web', namespace, propagationPolicy: 'Foreground' });
      await assert.rejects(core.readNamespacedConfigMap({ name: 'absent', namespace }), { code: 404 });
    });

    test('applies any object and reads custom ones', async () => {
      const objects = KubernetesObjectApi.makeApiClient(config);
      const map = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'applied', namespace },
        data: { key: 'value' },
      };
      const applied = await objects.patch(map, undefined, undefined, 'test', true, PatchStrategy.ServerSideApply);
      assert.deepEqual((applied as V1ConfigMap).data, { key: 'value' });
      const custom = config.makeApiClient(CustomObjectsApi);
      const list = await custom.listClusterCustomObject({
        group: 'apiextensions.k8s.io',
        version: 'v1',
        plural: 'customresourcedefinitions',
      });
      assert.equal(list.kind, 'CustomResourceDefinitionList');
    });

    test('keeps an informer up to date', async () => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const informer = makeInformer<V1ConfigMap>(config, path, () => core.listNamespacedConfigMap({ namespace }));
      const seen: string[] = [];
      const done = new Promise<void>((resolve) => {
        for (const verb of ['add', 'update', 'delete'] as const)
          informer.on(verb, ({ metadata }) => {
            if (metadata?.name === 'watched') seen.push(verb);
            if (metadata?.name === 'watched' && verb === 'delete') resolve();
          });
      });
      await informer.start();
      const watched = { metadata: { name: 'watched' } };
      await core.createNamespacedConfigMap({ namespace, body: watched });
      await core.replaceNamespacedConfigMap({ name: 'watched', namespace, body: { ...watched, data: { a: 'b' } } });
      await core.deleteNamespacedConfigMap({ name: 'watched', namespace });
      await done;
      await informer.stop();
      assert.deepEqual(seen, ['add', 'update', 'delete']);
    });
  });
