import type { Application } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { drySourceOf, hydrateToOf, type SourceHydrator } from '@tiphys/hydrator';
import { missingProject, type ProjectRules, sourceDenial, sourceNamespaceDenial } from '../projects/projects.ts';
import { applicationKey } from '../spec/application-key.ts';

const hydrationRefused = defineDiagnosis(
  'HydrationRefused',
  'The place that an application is hydrated to cannot be used',
);
const hydrationHeldUp = defineDiagnosis(
  'HydrationHeldUp',
  'Another application that is hydrated to the same branch has an error, and they are committed together',
);

interface Rules {
  readonly project: (name: string) => ProjectRules | undefined;
  readonly controlNamespace: string;
}

/** What keeps applications from being hydrated before anything is rendered, by their keys: upstream's rules. */
export function groupRefusals(applications: readonly Application[], rules: Rules): Map<string, Diagnosis> {
  const found = new Map<string, Diagnosis>();
  const owners = new Map<string, Application>();
  for (const application of applications) {
    const refusal = ownRefusal(application, rules);
    if (refusal) {
      found.set(applicationKey(application), refusal);
      continue;
    }
    const { path } = hydrateToOf(application.spec.sourceHydrator as SourceHydrator);
    const owner = owners.get(path);
    owners.set(path, owner ?? application);
    if (!owner) continue;
    found.set(applicationKey(application), sharedFolder(owner, path));
    found.set(applicationKey(owner), sharedFolder(application, path));
  }
  return found;
}

function ownRefusal(application: Application, { project: find, controlNamespace }: Rules): Diagnosis | undefined {
  const project = find(application.spec.project || 'default');
  if (!project) return missingProject(application);
  const hydrator = application.spec.sourceHydrator as SourceHydrator;
  const { repoURL, branch, path } = hydrateToOf(hydrator);
  return (
    sourceNamespaceDenial(project, application, controlNamespace) ??
    sourceDenial(project, drySourceOf(hydrator)) ??
    (path === '' || path.startsWith('..') ? badFolder(branch, path) : undefined) ??
    sourceDenial(project, { repoURL })
  );
}

/** Why an application is not hydrated that has no error itself. */
export function othersFail(diagnoses: ReadonlyMap<string, Diagnosis>): Diagnosis {
  const keys = [...diagnoses.keys()].sort();
  const [first = ''] = keys;
  const cause = diagnoses.get(first);
  const rest = keys.length > 1 ? `and ${keys.length - 1} more have errors` : 'has an error';
  return diagnose(hydrationHeldUp, {
    message: `cannot hydrate because application ${first} ${rest}`,
    place: { object: `Application ${first}` },
    remedies: ['Correct that application, or give it a branch of its own'],
    ...(cause ? { causes: [cause] } : {}),
  });
}

function badFolder(branch: string, path: string): Diagnosis {
  return diagnose(hydrationRefused, {
    message:
      path === ''
        ? `app is configured to hydrate to the repository root (branch "${branch}") which is not allowed`
        : 'the path that hydrated manifests are written to leaves the repository',
    place: { field: 'spec.sourceHydrator.syncSource.path' },
    remedies: [{ text: 'Name a folder of its own for each application', paste: 'syncSource:\n  path: my-application' }],
  });
}

function sharedFolder(other: Application, path: string): Diagnosis {
  return diagnose(hydrationRefused, {
    message: `app ${applicationKey(other)} hydrator uses the same destination: path=${path}`,
    place: { field: 'spec.sourceHydrator.syncSource.path', object: `Application ${applicationKey(other)}` },
    remedies: ['Give each application a folder of its own on the branch'],
  });
}
