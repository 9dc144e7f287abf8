import { follow, type ServerContext } from '@tiphys/apimachinery';
import { ensure, keep } from './ensure.ts';

/** Keeps the `default` service account and the `kube-root-ca.crt` ConfigMap in every namespace that is not going away. */
export function fillNamespaces(server: ServerContext, rootCa: string): void {
  const { store } = server;
  const namespaces = store.collection('namespaces');
  const fill = (name: string) => {
    const namespace = namespaces.get(name)?.object;
    if (!namespace || namespace.metadata.deletionTimestamp) return;
    ensure(server, '', 'v1', 'serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: name },
    });
    // what somebody has written into it is put right
    keep(server, '', 'v1', 'configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'kube-root-ca.crt',
        namespace: name,
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
        },
      },
      data: { 'ca.crt': rootCa },
    });
  };
  for (const name of [...namespaces.keys()]) fill(name);
  follow(store, 'namespaces', ({ type, item }) => {
    if (type === 'ADDED') fill(item.object.metadata.name ?? '');
  });
  for (const [collection, name] of [
    ['serviceaccounts', 'default'],
    ['configmaps', 'kube-root-ca.crt'],
  ] as const)
    follow(store, collection, ({ type, item }) => {
      const { metadata } = item.object;
      if (type !== 'ADDED' && metadata.name === name) fill(metadata.namespace ?? '');
    });
}
