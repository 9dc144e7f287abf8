import { isDeepStrictEqual } from 'node:util';
import type { AppProject } from '@tiphys/api';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { changeProject, type Unchanged } from './change-project.ts';

type Spec = AppProject['spec'];
type ListName = {
  [K in keyof Spec]-?: NonNullable<Spec[K]> extends readonly unknown[] ? K : never;
}[keyof Spec];

/** What a verb does to a list of the project's spec. */
interface Change {
  /** The list; `ignore` of orphanedResources is the one that is not at the top. */
  readonly list: ListName | 'orphanedIgnore';
  readonly adds: boolean;
  readonly item: unknown;
  /** Whether another item counts as the same; by default only an equal one. */
  readonly same?: (other: never) => boolean;
  /** What is said when there is nothing to do. */
  readonly unchanged: Unchanged;
}

interface Flags {
  readonly name?: string | boolean;
  readonly list?: string;
  readonly serviceAccountNamespace?: string;
}

interface Verb {
  readonly usage: string;
  readonly description: string;
  readonly options?: readonly [flags: string, description: string][];
  change(words: readonly string[], flags: Flags): Change;
}

const fatal = (message: string): Unchanged => ({ message, fails: true });
const told = (message: string): Unchanged => ({ message, fails: false });
const namePattern: [string, string] = ['--name <pattern>', 'Only objects of these names'];
const byName: [string, string] = ['--name', 'The cluster is given by its name'];

function restriction(usage: string, scope: 'cluster' | 'namespace', { allows }: { readonly allows: boolean }): Verb {
  const standard = scope === 'cluster' ? 'allow' : 'deny';
  return {
    usage: `${usage} <project> <group> <kind>${scope === 'cluster' ? ' [name]' : ''}`,
    description: `${allows ? 'Permit' : 'Deny'} a ${scope === 'cluster' ? 'cluster-scoped' : 'namespaced'} kind`,
    options: [['-l, --list <list>', `allow or deny: which list is changed (default: ${standard})`]],
    change: ([group = '', kind = '', name], { list = standard }) => {
      const allowList = list === 'allow';
      const adds = allows === allowList;
      const prefix = scope === 'cluster' ? 'clusterResource' : 'namespaceResource';
      return {
        list: `${prefix}${allowList ? 'Whitelist' : 'Blacklist'}` as ListName,
        adds,
        item: { group, kind, ...(name ? { name } : {}) },
        unchanged: told(
          `Group '${group}' and kind '${kind}' ${adds ? 'already present' : 'not present'} in ${scope} ${allowList ? 'allow' : 'deny'} list`,
        ),
      };
    },
  };
}

const verbs: readonly Verb[] = [
  {
    usage: 'add-source <project> <url>',
    description: 'Permit a repository',
    change: ([url]) => ({
      list: 'sourceRepos',
      adds: true,
      item: url,
      unchanged: told(`Source repository '${url}' already allowed in project`),
    }),
  },
  {
    usage: 'remove-source <project> <url>',
    description: 'Permit a repository no longer',
    change: ([url]) => ({
      list: 'sourceRepos',
      adds: false,
      item: url,
      unchanged: told(`Source repository '${url}' does not exist in project`),
    }),
  },
  {
    usage: 'add-source-namespace <project> <namespace>',
    description: 'Let Applications of a namespace use the project',
    change: ([namespace]) => ({
      list: 'sourceNamespaces',
      adds: true,
      item: namespace,
      unchanged: told(`Source namespace '${namespace}' already allowed in project`),
    }),
  },
  {
    usage: 'remove-source-namespace <project> <namespace>',
    description: 'Let Applications of a namespace use the project no longer',
    change: ([namespace]) => ({
      list: 'sourceNamespaces',
      adds: false,
      item: namespace,
      unchanged: told(`Source namespace '${namespace}' does not exist in project or cannot be removed`),
    }),
  },
  {
    usage: 'add-destination <project> <server> <namespace>',
    description: 'Permit a destination',
    options: [byName],
    change: ([server, namespace], { name }) => ({
      list: 'destinations',
      adds: true,
      item: name ? { name: server, namespace } : { server, namespace },
      unchanged: fatal('Specified destination is already defined in project'),
    }),
  },
  {
    usage: 'remove-destination <project> <server> <namespace>',
    description: 'Permit a destination no longer',
    change: ([server, namespace]) => ({
      list: 'destinations',
      adds: false,
      item: { server, namespace },
      same: (other: { server?: string; name?: string; namespace?: string }) =>
        (other.server === server || other.name === server) && other.namespace === namespace,
      unchanged: fatal('Specified destination does not exist in project'),
    }),
  },
  {
    usage: 'add-destination-service-account <project> <server> <namespace> <account>',
    description: 'Let syncs to a destination act as a ServiceAccount',
    options: [['--service-account-namespace <namespace>', 'Namespace of the ServiceAccount']],
    change: ([server = '', namespace = '', account = ''], { serviceAccountNamespace }) => ({
      list: 'destinationServiceAccounts',
      adds: true,
      item: {
        server,
        namespace,
        defaultServiceAccount: serviceAccountNamespace ? `${serviceAccountNamespace}:${account}` : account,
      },
      unchanged: fatal('Specified destination service account is already defined in project'),
    }),
  },
  {
    usage: 'remove-destination-service-account <project> <server> <namespace> <account>',
    description: 'Let syncs to a destination act as a ServiceAccount no longer',
    options: [['--service-account-namespace <namespace>', 'Namespace of the ServiceAccount']],
    change: ([server = '', namespace = '', account = ''], { serviceAccountNamespace }) => ({
      list: 'destinationServiceAccounts',
      adds: false,
      item: {
        server,
        namespace,
        defaultServiceAccount: serviceAccountNamespace ? `${serviceAccountNamespace}:${account}` : account,
      },
      unchanged: fatal('Specified destination service account does not exist in project'),
    }),
  },
  {
    usage: 'add-signature-key <project> <key>',
    description: 'Accept commits that a key has signed',
    change: ([keyID = '']) => ({
      list: 'signatureKeys',
      adds: true,
      item: { keyID },
      unchanged: fatal('Specified signature key is already defined in project'),
    }),
  },
  {
    usage: 'remove-signature-key <project> <key>',
    description: 'Accept commits that a key has signed no longer',
    change: ([keyID = '']) => ({
      list: 'signatureKeys',
      adds: false,
      item: { keyID },
      unchanged: fatal('Specified signature key is not configured for project'),
    }),
  },
  {
    usage: 'add-orphaned-ignore <project> <group> <kind>',
    description: 'Do not tell of objects of a kind that belong to no application',
    options: [namePattern],
    change: ([group, kind], { name }) => ({
      list: 'orphanedIgnore',
      adds: true,
      item: { group, kind, ...(name ? { name } : {}) },
      unchanged: fatal('Specified resource is already defined in the orphaned ignore list of project'),
    }),
  },
  {
    usage: 'remove-orphaned-ignore <project> <group> <kind>',
    description: 'Tell of objects of a kind that belong to no application again',
    options: [namePattern],
    change: ([group, kind], { name }) => ({
      list: 'orphanedIgnore',
      adds: false,
      item: { group, kind, ...(name ? { name } : {}) },
      unchanged: fatal('Specified resource does not exist in the orphaned ignore list of project'),
    }),
  },
  restriction('allow-cluster-resource', 'cluster', { allows: true }),
  restriction('deny-cluster-resource', 'cluster', { allows: false }),
  restriction('allow-namespace-resource', 'namespace', { allows: true }),
  restriction('deny-namespace-resource', 'namespace', { allows: false }),
];

/** The verbs of `argocd proj` that add an item to a list of the project, or take it away. */
export function addProjectListCommands(parent: Command, surroundings: Surroundings): void {
  for (const { usage, description, options = [], change } of verbs) {
    const command = parent.command(usage).description(description);
    for (const [flags, text] of options) command.option(flags, text);
    command.action(async (project: string, ...rest: unknown[]) => {
      const own = rest.at(-1) as Command;
      const words = rest.slice(0, -2).filter((word) => word !== undefined) as string[];
      await changeProject(own, surroundings, {
        name: project,
        edit: (spec) => apply(spec, change(words, own.opts<Flags>())),
      });
    });
  }
}

function apply(spec: Spec, { list, adds, item, same, unchanged }: Change): Unchanged | undefined {
  if (list === 'orphanedIgnore') spec.orphanedResources ??= {};
  const holder = (list === 'orphanedIgnore' ? spec.orphanedResources : spec) as Record<string, unknown[]>;
  const key = list === 'orphanedIgnore' ? 'ignore' : list;
  const before = holder[key] ?? [];
  const isSame = (other: unknown) => (same ? same(other as never) : isDeepStrictEqual(other, item));
  if (before.some(isSame) === adds) return unchanged;
  holder[key] = adds ? [...before, item] : before.filter((other) => !isSame(other));
  return undefined;
}
