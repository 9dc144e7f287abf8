import { type Client, type KubeObject, keyOf } from '@tiphys/kubernetes';
import { annotationList, annotationNames } from '../annotations.ts';
import { comparePredicted, type ObjectComparison } from './compare-object.ts';
import type { CompareOptions, CompareRequest } from './comparison.ts';
import { compileIgnoreRules } from './ignore-rules.ts';
import { both, knownTypesFor } from './known-types.ts';
import { predictByServer } from './server-side-diff.ts';

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
