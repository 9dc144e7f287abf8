/**
 * Writes ../builtin.json.gz: `node generate-builtin.ts KUBECONFIG TYPES`, where KUBECONFIG reaches a fresh kube-apiserver without
 * controllers and TYPES is what `go run .` in this folder has printed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { builtinDiscovery, connect, type KubeObject, loadKubeconfig } from '@tiphys/kubernetes';

/** Kinds whose first objects the API server makes itself. */
const BOOTSTRAP = [
  'rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1/roles',
  'rbac.authorization.k8s.io/v1/rolebindings',
  'scheduling.k8s.io/v1/priorityclasses',
  'flowcontrol.apiserver.k8s.io/v1/flowschemas',
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
];
const STAMPED = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation'];

const { structs, kinds } = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8')) as {
  structs: object;
  kinds: object;
};
const client = connect(loadKubeconfig(readFileSync(process.argv[2] ?? '', 'utf8')), {
  caller: { component: 'record', purpose: 'schema tables' },
});
const get = async (path: string, accept = 'application/json') =>
  (await (await client.request('GET', path, { accept })).json()) as Record<string, unknown>;
try {
  const extras: Record<string, object> = {};
  const bootstrap: Record<string, KubeObject[]> = {};
  const { api, apis } = builtinDiscovery();
  for (const { metadata, versions = [] } of [...(api.items ?? []), ...(apis.items ?? [])]) {
    const group = metadata?.name ?? '';
    for (const { version, resources = [] } of versions) {
      const base = group ? `/apis/${group}/${version}` : `/api/${version}`;
      const listed = (await get(base)) as { resources: { name: string; storageVersionHash?: string }[] };
      for (const { resource = '', verbs = [] } of resources) {
        const key = `${group}/${version}/${resource}`;
        const hash = listed.resources.find(({ name }) => name === resource)?.storageVersionHash;
        const table = verbs.includes('list')
          ? await get(`${base}/${resource}`, 'application/json;as=Table;v=v1;g=meta.k8s.io')
          : {};
        extras[key] = {
          ...(hash ? { hash } : {}),
          ...(table.columnDefinitions ? { columns: table.columnDefinitions } : {}),
        };
        if (BOOTSTRAP.includes(key))
          bootstrap[key] = ((await get(`${base}/${resource}`)).items as KubeObject[]).map(unstamped);
      }
    }
  }
  const file = new URL('../builtin.json.gz', import.meta.url);
  writeFileSync(file, gzipSync(JSON.stringify({ extras, bootstrap, types: structs, kinds }), { level: 9 }));
} finally {
  await client.close();
}

function unstamped({ status: _, ...object }: KubeObject): KubeObject {
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([field]) => !STAMPED.includes(field)));
  return { ...object, metadata } as KubeObject;
}
