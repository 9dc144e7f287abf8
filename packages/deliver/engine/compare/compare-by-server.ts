import { type Client, type KubeObject, keyOf } from '@tiphys/kubernetes';
import { comparePredicted, type ObjectComparison } from '../difference/compare-object.ts';
import type { CompareOptions, CompareRequest } from '../difference/comparison.ts';
import { compileIgnoreRules } from '../difference/ignore-rules.ts';
import { both, knownTypesFor } from '../difference/known-types.ts';
import { predictByServer } from '../difference/server-side-diff.ts';
import { annotationList, annotationNames } from '../model/annotations.ts';

export interface ServerComparison extends Pick<CompareRequest, 'ignoreDifferences' | 'knownTypes' | 'signal'> {
  readonly desired: KubeObject;
  readonly live: KubeObject;
  readonly client: Client;
  readonly options: CompareOptions;
}

/** One desired object against its live one by a dry run of a server-side apply, whatever the options say of how to compare. */
export async function compareByServer(request: ServerComparison): Promise<ObjectComparison> {
  const { desired, live, client, options, signal } = request;
  const key = keyOf(desired);
  const compareOptions = [
    ...(options.compareOptions ?? []),
    ...annotationList(desired, annotationNames.compareOptions),
  ];
  const webhooks = compareOptions.includes('IncludeMutationWebhook=true');
  const predicted = await predictByServer(desired, live, client, { webhooks, signal });
  const { ignoreStatus = 'all', ignoreAggregatedRoles = false } = options;
  const rules = compileIgnoreRules(request.ignoreDifferences ?? []);
  return comparePredicted(predicted, live, {
    ignore: both(rules.for(key), knownTypesFor(key, request.knownTypes ?? [])),
    ignoreStatus: ignoreStatus === 'all' || (ignoreStatus === 'crd' && key.kind === 'CustomResourceDefinition'),
    ignoreAggregatedRoles,
    serverSide: true,
  });
}
