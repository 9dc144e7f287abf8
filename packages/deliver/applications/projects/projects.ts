import type { Application, ApplicationDestination, ApplicationSource, AppProject } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { matchListed, matchNegatable, matchPath } from '@tiphys/glob';
import type { ObjectKey } from '@tiphys/kubernetes';
import { normalizeRepoUrl } from '../repositories/repository-url.ts';

const notPermitted = defineDiagnosis(
  'NotPermitted',
  'A rule of the project does not permit the source, the destination or the kind',
  'C19',
);

const projectNotFound = defineDiagnosis(
  'ProjectNotFound',
  'The Application names an AppProject that does not exist',
  'C19',
);

/** A project, and which clusters belong to it if that is known. */
export type ProjectRules = AppProject & {
  readonly scopedClusters?: readonly { readonly server: string; readonly name: string }[];
};

/** A destination as the project's rules see it: with the cluster's address and its name, either may be empty. */
export interface ResolvedDestination {
  readonly server: string;
  readonly name: string;
  readonly namespace: string;
}

/**
 * Undefined if the project permits the source, else the rule that denied it.
 * Upstream rule: patterns are globs in which `*` stops at `/`; `!` denies and wins.
 */
export function sourceDenial(project: AppProject, source: ApplicationSource): Diagnosis | undefined {
  const url = normalizeRepoUrl(source.repoURL ?? '');
  const rules = project.spec.sourceRepos ?? [];
  let permitted = false;
  for (const rule of rules) {
    const denies = rule.startsWith('!');
    const pattern = denies ? `!${normalizeRepoUrl(rule.slice(1))}` : normalizeRepoUrl(rule);
    if (matchNegatable(pattern, url, '/')) permitted = true;
    else if (denies) return sourceDiagnosis(project, source, rule);
  }
  return permitted ? undefined : sourceDiagnosis(project, source, undefined);
}

function sourceDiagnosis(project: AppProject, source: ApplicationSource, rule: string | undefined): Diagnosis {
  const name = project.metadata.name ?? '';
  return diagnose(notPermitted, {
    message: `application repo ${source.repoURL} is not permitted in project '${name}'`,
    place: { field: 'spec.source.repoURL' },
    evidence: {
      'deciding rule': rule ?? 'none of spec.sourceRepos matches',
      'spec.sourceRepos': (project.spec.sourceRepos ?? []).join(', ') || 'empty',
    },
    remedies: [
      {
        text: `Add the repository to spec.sourceRepos of AppProject ${name}`,
        paste: `spec:\n  sourceRepos:\n  - ${source.repoURL}`,
      },
    ],
  });
}

/**
 * Undefined if the project permits the destination, else the rule that denied it.
 * Upstream rule: server or name must match together with the namespace; `!` in any of them denies and wins.
 */
export function destinationDenial(project: ProjectRules, destination: ResolvedDestination): Diagnosis | undefined {
  const { permitOnlyProjectScopedClusters } = project.spec;
  const scoped = project.scopedClusters?.some(
    ({ server, name }) => server === destination.server || name === destination.name,
  );
  const denial = destinationRulesDenial(project, destination);
  if (denial || !permitOnlyProjectScopedClusters || scoped) return denial;
  return diagnose(notPermitted, {
    message: destinationMessage(project, destination),
    place: { field: 'spec.destination' },
    evidence: { 'deciding rule': 'permitOnlyProjectScopedClusters: the cluster does not belong to the project' },
    remedies: [
      `Set the key project of the cluster's Secret to ${project.metadata.name}, or name a cluster of the project`,
    ],
  });
}

function destinationRulesDenial(project: AppProject, destination: ResolvedDestination): Diagnosis | undefined {
  let permitted = false;
  for (const rule of project.spec.destinations ?? []) {
    const name = destination.name !== '' && matchNegatable(rule.name ?? '', destination.name);
    const server = destination.server !== '' && matchNegatable(rule.server ?? '', destination.server);
    const namespace = matchNegatable(rule.namespace ?? '', destination.namespace);
    if ((server || name) && namespace) permitted = true;
    else if (
      denies(rule.name, name) ||
      (denies(rule.server, server) && namespace) ||
      (denies(rule.namespace, namespace) && server)
    ) {
      return destinationDiagnosis(project, destination, rule);
    }
  }
  return permitted ? undefined : destinationDiagnosis(project, destination, undefined);
}

function destinationMessage(project: AppProject, { server, name, namespace }: ResolvedDestination): string {
  return `application destination server '${server || name}' and namespace '${namespace}' do not match any of the allowed destinations in project '${project.metadata.name ?? ''}'`;
}

function denies(pattern: string | undefined, matched: boolean): boolean {
  return !matched && (pattern ?? '').startsWith('!');
}

function destinationDiagnosis(
  project: AppProject,
  destination: ResolvedDestination,
  rule: ApplicationDestination | undefined,
): Diagnosis {
  const name = project.metadata.name ?? '';
  return diagnose(notPermitted, {
    message: destinationMessage(project, destination),
    place: { field: 'spec.destination' },
    evidence: {
      'deciding rule': rule ? JSON.stringify(rule) : 'none of spec.destinations matches',
      'spec.destinations': JSON.stringify(project.spec.destinations ?? []),
    },
    remedies: [
      {
        text: `Add the destination to spec.destinations of AppProject ${name}`,
        paste: `spec:\n  destinations:\n  - server: ${destination.server}\n    namespace: ${destination.namespace}`,
      },
    ],
  });
}

/**
 * Undefined if the project permits the object in the destination cluster, else why not.
 * Upstream rule: namespaced kinds are allowed unless listed otherwise, cluster-scoped kinds denied unless listed.
 */
export function objectDenial(
  project: ProjectRules,
  key: ObjectKey,
  namespaced: boolean,
  destination: ResolvedDestination,
): Diagnosis | undefined {
  const { spec } = project;
  const matches = (rule: { group?: string; kind?: string; name?: string }) =>
    matchPath(rule.kind ?? '', key.kind) &&
    matchPath(rule.group ?? '', key.group) &&
    (!rule.name || matchPath(rule.name, key.name));
  const allow = namespaced ? spec.namespaceResourceWhitelist : (spec.clusterResourceWhitelist ?? []);
  const deny = namespaced ? spec.namespaceResourceBlacklist : spec.clusterResourceBlacklist;
  const listed = allow === undefined || allow.some(matches);
  const denied = deny?.find(matches);
  if (!listed || denied) {
    const list = namespaced ? 'namespaceResource' : 'clusterResource';
    const field = denied ? `${list}Blacklist` : `${list}Whitelist`;
    return diagnose(notPermitted, {
      message: `resource ${key.group}:${key.kind} is not permitted in project ${project.metadata.name}`,
      place: { object: `${key.group ? `${key.group}/` : ''}${key.kind} ${key.name}` },
      evidence: {
        'deciding rule': denied ? `${field}: ${JSON.stringify(denied)}` : `${field} has no entry that matches`,
        scope: namespaced ? 'namespaced' : 'cluster',
      },
      remedies: [
        denied
          ? `Remove the entry from spec.${field} of AppProject ${project.metadata.name}`
          : {
              text: `Add the kind to spec.${field} of AppProject ${project.metadata.name}`,
              paste: `spec:\n  ${field}:\n  - group: '${key.group}'\n    kind: ${key.kind}`,
            },
      ],
    });
  }
  return namespaced ? namespaceDenial(project, key, destination) : undefined;
}

function namespaceDenial(
  project: ProjectRules,
  key: ObjectKey,
  destination: ResolvedDestination,
): Diagnosis | undefined {
  const denial = destinationDenial(project, { ...destination, namespace: key.namespace });
  return (
    denial && {
      ...denial,
      message: `namespace ${key.namespace} is not permitted in project '${project.metadata.name}'`,
    }
  );
}

/** Undefined if applications of that namespace may use the project; those of the control plane's always may. */
export function sourceNamespaceDenial(
  project: AppProject,
  { metadata }: Pick<Application, 'metadata'>,
  controlNamespace: string,
): Diagnosis | undefined {
  const namespace = metadata.namespace || controlNamespace;
  const permitted = project.spec.sourceNamespaces ?? [];
  if (namespace === controlNamespace || matchListed(permitted, namespace)) return undefined;
  const name = project.metadata.name ?? '';
  return diagnose(notPermitted, {
    message: `application '${metadata.name}' in namespace '${namespace}' is not permitted to use project '${name}'`,
    place: { field: 'spec.project' },
    evidence: { 'spec.sourceNamespaces': permitted.join(', ') || 'empty' },
    remedies: [
      {
        text: `Let applications of the namespace use AppProject ${name}`,
        paste: `spec:\n  sourceNamespaces:\n  - ${namespace}`,
      },
      'Or name a project that permits the namespace in spec.project',
    ],
  });
}

/** Says that the project of the application is not there. */
export function missingProject(application: Application): Diagnosis {
  return diagnose(projectNotFound, {
    message: `Application referencing project ${application.spec.project} which does not exist`,
    place: { field: 'spec.project' },
    remedies: [
      `Create the AppProject ${application.spec.project}, or set spec.project to an existing one such as default`,
    ],
  });
}
