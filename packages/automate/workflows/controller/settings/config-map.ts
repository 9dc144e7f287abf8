import { workflowNames } from '@tiphys/api';
import { dataOf } from '@tiphys/controller';
import type { Client } from '@tiphys/kubernetes';

/** `data` of workflow-controller-configmap as it is now; empty if there is none. */
export async function configMapData({
  client,
  namespace,
}: {
  readonly client: Client;
  readonly namespace: string;
}): Promise<ReadonlyMap<string, string>> {
  return dataOf(await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: workflowNames.configMap }));
}
