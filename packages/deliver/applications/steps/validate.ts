import { type StepOutcome, timestamp } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import {
  destinationDenial,
  missingProject,
  type ProjectRules,
  sourceDenial,
  sourceNamespaceDenial,
} from '../projects/projects.ts';
import { setConditions } from '../reconciliation/conditions.ts';
import { type Reconciliation, takeRefreshRequest } from '../reconciliation/reconciliation.ts';
import { allSourcesOf, hasSources } from '../spec/source-of.ts';
import { endOperation } from './operate.ts';

const sourceMissing = defineDiagnosis('SourceMissing', 'The Application has no source');

/**
 * Refuses what the spec or the project do not permit, and finds the destination. Sets InvalidSpecError where it does;
 * elsewhere the comparison decides about that condition.
 */
export function validate(work: Reconciliation): StepOutcome {
  const { next, status, context } = work;
  const problems: Diagnosis[] = [];
  const project = context.project(next.spec.project || 'default');
  const foreign = project && sourceNamespaceDenial(project, next, context.controlNamespace);
  if (foreign) problems.push(foreign);
  else if (project) work.project = project;
  else problems.push(missingProject(next));
  const globals = context.projects.problem();
  if (globals?.fatal) problems.push(diagnosisOf(globals.error));
  try {
    work.cluster = context.clusters.resolve(next.spec.destination);
  } catch (error) {
    problems.push(diagnosisOf(error));
  }
  if (project && !foreign) problems.push(...denials(work, project));
  work.memory.refused = false;
  if (problems.length === 0) return 'continue';
  setConditions(
    status,
    ['InvalidSpecError'],
    problems.map((diagnosis) => ({ type: 'InvalidSpecError', diagnosis })),
    timestamp(context.clock.now()),
  );
  status.sync = { ...status.sync, status: 'Unknown' };
  status.health = { ...status.health, status: 'Unknown' };
  takeRefreshRequest(next);
  // What it could do before, it may not even show now.
  work.memory.comparison = undefined;
  work.memory.refused = true;
  endOperation(work, problems[0] as Diagnosis);
  return 'stop';
}

function denials({ next, cluster }: Reconciliation, project: ProjectRules): Diagnosis[] {
  const hydrator = next.spec.sourceHydrator;
  if (hydrator && !hydrator.drySource?.repoURL) return [fieldMissing('drySource.repoURL')];
  if (hydrator && !hydrator.syncSource?.targetBranch) return [fieldMissing('syncSource.targetBranch')];
  const sources = allSourcesOf(next.spec);
  const field = (index: number) => (hasSources(next.spec) ? `spec.sources[${index}]` : 'spec.source');
  const missing = sources.length === 0 ? [sourceIncomplete('spec.source', undefined)] : [];
  for (const [index, { repoURL, path, chart, ref, targetRevision }] of sources.entries())
    if (!repoURL || (!path && !chart && !ref)) missing.push(sourceIncomplete(field(index), repoURL));
    else if (chart && !targetRevision) missing.push(versionMissing(field(index)));
  if (missing.length > 0) return missing;
  const namespace = next.spec.destination.namespace ?? '';
  const found = [
    ...sources.map((source) => sourceDenial(project, source)),
    cluster && destinationDenial(project, { server: cluster.server, name: cluster.name, namespace }),
  ];
  return found.filter((denial) => denial !== undefined);
}

function fieldMissing(field: string): Diagnosis {
  return diagnose(sourceMissing, {
    message: `spec.sourceHydrator.${field} is required`,
    place: { field: `spec.sourceHydrator.${field}` },
    remedies: [`Set spec.sourceHydrator.${field}`],
  });
}

function sourceIncomplete(field: string, repoURL: string | undefined): Diagnosis {
  return diagnose(sourceMissing, {
    message: repoURL
      ? `${field}.repoURL and either ${field}.path or ${field}.chart are required`
      : `${field}.repoURL is required`,
    place: { field },
    remedies: [`Set ${field}.repoURL and ${field}.path (\`.\` for the top of the repository)`],
  });
}

/** A chart of a repository has no version that goes without saying. */
function versionMissing(field: string): Diagnosis {
  return diagnose(sourceMissing, {
    message: `${field}.targetRevision is required if the manifest source is a helm chart`,
    place: { field: `${field}.targetRevision` },
    remedies: [{ text: 'Name a version or a range', paste: 'targetRevision: 1.2.*' }],
  });
}
