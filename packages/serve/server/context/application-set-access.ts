import type { ApplicationSet } from '@tiphys/api';
import { applicationSetKind } from '../applications/application-sets.ts';
import type { Call } from '../rpc/call.ts';
import { notFound } from '../rpc/rpc-error.ts';
import type { ServerContext } from './server-context.ts';

export interface SetQuery {
  readonly name?: string | undefined;
  readonly appsetNamespace?: string | undefined;
}

/** The set that a request names, read from the cluster, if the caller may do `action` to it. Upstream tells anyone who may log in what there is not. */
export async function accessApplicationSet(
  context: ServerContext,
  call: Call,
  action: string,
  { name = '', appsetNamespace }: SetQuery,
): Promise<ApplicationSet> {
  const { client, applicationSets } = context;
  const namespace = appsetNamespace || context.namespace;
  applicationSets.assertNamespace(namespace);
  const found = await client.find<ApplicationSet>({ ...applicationSetKind, namespace, name });
  // the words are those of upstream's two ways to read
  const words =
    action === 'delete'
      ? 'error getting ApplicationSets: applicationsets.argoproj.io'
      : 'error getting ApplicationSet: applicationset.argoproj.io';
  if (!found) throw notFound(`${words} "${name}" not found`);
  (await context.enforcer()).enforce(call.identity, 'applicationsets', action, applicationSets.rbacName(found));
  return { ...found, ...applicationSetKind };
}
