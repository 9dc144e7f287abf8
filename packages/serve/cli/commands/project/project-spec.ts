import type { AppProject } from '@tiphys/api';
import type { Command } from 'commander';
import { collect, collectList } from '../../terminal/flag-values.ts';

type Spec = AppProject['spec'];

/** The flags of `argocd proj create` and `argocd proj set`. */
export interface ProjectFlags {
  readonly description?: string;
  readonly dest?: string[];
  readonly src?: string[];
  readonly signatureKeys?: string[];
  readonly orphanedResources?: boolean;
  readonly orphanedResourcesWarn?: boolean;
  readonly allowClusterResource?: string[];
  readonly denyClusterResource?: string[];
  readonly allowNamespacedResource?: string[];
  readonly denyNamespacedResource?: string[];
  readonly sourceNamespaces?: string[];
  readonly destServiceAccounts?: string[];
}

export function addProjectFlags(command: Command): Command {
  return command
    .option('--description <text>', 'What it is for')
    .option('-d, --dest <server,namespace>', 'Permitted destination (repeatable)', collect)
    .option('-s, --src <url>', 'Permitted repository (repeatable)', collect)
    .option('--signature-keys <ids>', 'Keys of which one must have signed each commit', collectList)
    .option('--orphaned-resources', 'Look for objects in the destinations that belong to no application')
    .option('--orphaned-resources-warn', 'Tell of such objects by a condition')
    .option('--allow-cluster-resource <group/kind/name>', 'Permitted cluster-scoped kind (repeatable)', collect)
    .option('--deny-cluster-resource <group/kind/name>', 'Denied cluster-scoped kind (repeatable)', collect)
    .option('--allow-namespaced-resource <group/kind>', 'Permitted namespaced kind (repeatable)', collect)
    .option('--deny-namespaced-resource <group/kind>', 'Denied namespaced kind (repeatable)', collect)
    .option('--source-namespaces <names>', 'Namespaces whose Applications may use the project', collectList)
    .option(
      '--dest-service-accounts <server,namespace,account>',
      'ServiceAccount that syncs to a destination act as (repeatable)',
      collect,
    );
}

/** What the flags say of the spec; what they do not name is absent. */
export function specOfFlags(flags: ProjectFlags, before: Spec = {}): Spec {
  const orphaned = flags.orphanedResources !== undefined || flags.orphanedResourcesWarn !== undefined;
  return {
    ...given('description', flags.description),
    ...given('destinations', flags.dest?.map(destinationOf) as Spec['destinations']),
    ...given('sourceRepos', flags.src),
    ...given(
      'signatureKeys',
      flags.signatureKeys?.map((keyID) => ({ keyID })),
    ),
    ...(orphaned
      ? { orphanedResources: { ...before.orphanedResources, ...given('warn', flags.orphanedResourcesWarn) } }
      : {}),
    ...given('clusterResourceWhitelist', flags.allowClusterResource?.map(clusterKindOf)),
    ...given('clusterResourceBlacklist', flags.denyClusterResource?.map(clusterKindOf)),
    ...given('namespaceResourceWhitelist', flags.allowNamespacedResource?.map(kindOf)),
    ...given('namespaceResourceBlacklist', flags.denyNamespacedResource?.map(kindOf)),
    ...given('sourceNamespaces', flags.sourceNamespaces),
    ...given('destinationServiceAccounts', flags.destServiceAccounts?.map(serviceAccountOf)),
  };
}

function given<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: T });
}

/** `server,namespace`; a text without `://` before the comma is the name of a cluster. */
function destinationOf(text: string): { server?: string; name?: string; namespace: string } {
  const at = text.indexOf(',');
  const [cluster, namespace] = at < 0 ? [text, '*'] : [text.slice(0, at), text.slice(at + 1)];
  return cluster.includes('://') || cluster === '*' ? { server: cluster, namespace } : { name: cluster, namespace };
}

function kindOf(text: string): { group: string; kind: string } {
  const at = text.lastIndexOf('/');
  return { group: at < 0 ? '' : text.slice(0, at), kind: text.slice(at + 1) };
}

/** `kind`, `group/kind` or `group/kind/name`. */
function clusterKindOf(text: string): { group: string; kind: string; name?: string } {
  const parts = text.split('/');
  if (parts.length < 3) return kindOf(text);
  const [group = '', kind = '', ...name] = parts;
  return { group, kind, name: name.join('/') };
}

function serviceAccountOf(text: string): { server: string; namespace: string; defaultServiceAccount: string } {
  const [server = '', namespace = '', defaultServiceAccount = ''] = text.split(',');
  return { server, namespace, defaultServiceAccount };
}
