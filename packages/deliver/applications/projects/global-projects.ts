import type { AppProject } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { parseDocuments } from '@tiphys/yaml';

const globalProjectsInvalid = defineDiagnosis(
  'GlobalProjectsInvalid',
  'globalProjects of argocd-cm cannot be read, so nobody can say which rules hold',
);

/** One entry of `globalProjects`: the rules of a project that hold for all projects whose labels are selected. */
export interface GlobalProject {
  readonly projectName: string;
  readonly selects: (labels: Readonly<Record<string, string>>) => boolean;
}

/** Reads `globalProjects` of argocd-cm. Throws a diagnosis that names what is wrong. */
export function readGlobalProjects(text: string | undefined): GlobalProject[] {
  if (!text?.trim()) return [];
  let value: unknown;
  try {
    value = parseDocuments(text, { file: 'argocd-cm globalProjects' }).documents[0]?.value;
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error), error);
  }
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid('found no list');
  return value.map((entry: unknown, index) => {
    const { projectName, labelSelector } = (entry ?? {}) as { projectName?: unknown; labelSelector?: unknown };
    if (typeof projectName !== 'string' || projectName === '') throw invalid(`[${index}].projectName is missing`);
    return { projectName, selects: selectorOf(labelSelector, `[${index}].labelSelector`) };
  });
}

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** A Kubernetes label selector; an empty one selects everything. */
function selectorOf(selector: unknown, place: string): GlobalProject['selects'] {
  const { matchLabels, matchExpressions } = (selector ?? {}) as {
    matchLabels?: Readonly<Record<string, string>>;
    matchExpressions?: readonly Requirement[];
  };
  const equal = Object.entries(matchLabels ?? {});
  const requirements = (matchExpressions ?? []).map((requirement, index) =>
    requirementOf(requirement, `${place}.matchExpressions[${index}]`),
  );
  return (labels) =>
    equal.every(([key, value]) => labels[key] === String(value)) && requirements.every((holds) => holds(labels));
}

function requirementOf({ key = '', operator, values = [] }: Requirement, place: string): GlobalProject['selects'] {
  if (key === '') throw invalid(`${place}.key is missing`);
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) throw invalid(`${place}.values is empty`);
  const listed = values.map(String);
  switch (operator) {
    case 'In':
      return (labels) => listed.includes(labels[key] ?? '') && Object.hasOwn(labels, key);
    case 'NotIn':
      return (labels) => !(Object.hasOwn(labels, key) && listed.includes(labels[key] ?? ''));
    case 'Exists':
      return (labels) => Object.hasOwn(labels, key);
    case 'DoesNotExist':
      return (labels) => !Object.hasOwn(labels, key);
    default:
      throw invalid(`${place}.operator is "${operator ?? ''}", wanted In, NotIn, Exists or DoesNotExist`);
  }
}

function invalid(reason: string, cause?: unknown): Error {
  return failure(
    globalProjectsInvalid,
    {
      message: `globalProjects cannot be used: ${reason}`,
      place: { object: 'ConfigMap argocd-cm', field: 'data.globalProjects' },
      remedies: [
        {
          text: 'Correct the value',
          paste: '- labelSelector:\n    matchLabels:\n      tenant: "true"\n  projectName: rules-of-all',
        },
      ],
    },
    cause === undefined ? {} : { cause },
  );
}

/** The global projects whose rules hold for a project. Upstream rule: none is its own, one that does not exist is passed over. */
export function globalProjectsOf(
  project: AppProject,
  entries: readonly GlobalProject[],
  find: (name: string) => AppProject | undefined,
): AppProject[] {
  const labels = project.metadata.labels ?? {};
  return entries
    .filter(({ projectName, selects }) => projectName !== project.metadata.name && selects(labels))
    .flatMap(({ projectName }) => find(projectName) ?? []);
}

/** A project with the rules of global ones behind its own, list by list; what is a list of neither stays away. */
export function withGlobalProjects(project: AppProject, globals: readonly AppProject[]): AppProject {
  if (globals.length === 0) return project;
  const spec: Record<string, unknown> = { ...project.spec };
  for (const field of merged) {
    const lists = [project, ...globals].flatMap((item): readonly unknown[] => item.spec[field] ?? []);
    // An absent white list allows what an empty one forbids; as upstream, an empty one of a global project changes nothing.
    if (lists.length > 0) spec[field] = lists;
  }
  return { ...project, spec: spec as AppProject['spec'] };
}

const merged = [
  'clusterResourceWhitelist',
  'clusterResourceBlacklist',
  'namespaceResourceWhitelist',
  'namespaceResourceBlacklist',
  'syncWindows',
  'sourceRepos',
  'destinations',
  'destinationServiceAccounts',
] as const;
