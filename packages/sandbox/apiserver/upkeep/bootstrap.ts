import { builtin, type ServerContext, timestamp } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Credentials } from '../access/credentials.ts';
import { ensure, keep } from './ensure.ts';
import { fillNamespaces } from './namespace-content.ts';

/** Makes what a fresh cluster has and this one does not: namespaces, RBAC roles and bindings, priority classes. */
export function bootstrap(server: ServerContext, { tls, frontProxy }: Credentials): void {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    ensure(server, '', 'v1', 'namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  ensure(server, '', 'v1', 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  });
  for (const [path, objects] of Object.entries(builtin().bootstrap)) {
    const [group, version, plural] = path.split('/') as [string, string, string];
    for (const object of objects) ensure(server, group, version, plural, object);
  }
  // since when the use of tokens in Secrets is written down
  ensure(server, '', 'v1', 'configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since: timestamp(server.clock).slice(0, 10) },
  });
  tellAuthorities(server, tls.ca, frontProxy.ca);
  fillNamespaces(server, tls.ca);
}

/** What servers behind this one believe its clients by. The authority of the front proxy is another one after each start. */
function tellAuthorities(server: ServerContext, clientCa: string, frontProxyCa: string): void {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: {
      'client-ca-file': clientCa,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': frontProxyCa,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  };
  keep(server, '', 'v1', 'configmaps', object);
}
