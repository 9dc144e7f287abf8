import type { Fault } from './fault.ts';

export const clusterFaults: readonly Fault[] = [
  {
    id: 'C17',
    title: 'a cluster at whose address nothing listens',
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `cluster-${stage.name}`,
          namespace: stage.world.namespace,
          labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        },
        stringData: {
          name: stage.name,
          server: 'https://127.0.0.1:1',
          config: JSON.stringify({ bearerToken: 'MARKER-token', tlsClientConfig: { insecure: true } }),
        },
      });
      await stage.patch({ destination: { server: null, name: stage.name } });
    },
    code: 'ClusterConnectionRefused',
    contains: [/127\.0\.0\.1:1/],
    mend: (stage) => stage.patch({ destination: { server: 'https://kubernetes.default.svc', name: null } }),
  },
];
