import type { Application, ApplicationSource, ApplicationSpec } from '@tiphys/api';
import { allSourcesOf, destinationDenial, type EffectiveProject, sourceDenial, sourcesOf } from '@tiphys/applications';
import { type Diagnosis, DiagnosisError, formatDiagnosis } from '@tiphys/diagnosis';
import { projectOf, rbacName, refOf } from '../applications/applications.ts';
import { normalizeSpec } from '../applications/normalize-spec.ts';
import type { Call } from '../rpc/call.ts';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';
import { projectFor } from './access.ts';
import type { ServerContext } from './server-context.ts';

/**
 * The application with its spec normalised, if it may be stored: names, destination, sources (unless `validate` is
 * false), and what the project permits. Throws with Argo CD's words.
 */
export async function validateApplication(
  context: ServerContext,
  call: Call,
  app: Application,
  validate: boolean,
): Promise<Application> {
  const { name } = app.metadata;
  if (!name)
    throw new RpcError(Code.Unknown, 'error while validating and normalizing app: resource name may not be empty');
  assertUniqueSourceNames(app);
  const project = await effectiveProject(context, call, app);
  const invalid = (words: readonly string[], diagnoses: readonly Diagnosis[] = []) =>
    invalidArgument(
      `application spec for ${name} is invalid: ${words.map((text) => `InvalidSpecError: ${text}`).join(';')}`,
      diagnoses,
    );
  const { server, name: clusterName } = app.spec.destination ?? {};
  if (!server && !clusterName)
    throw invalidArgument(
      `application destination spec for ${name} is invalid: Destination server missing from app spec`,
    );
  try {
    await context.clusters.resolve(app.spec.destination);
  } catch (error) {
    throw invalidArgument(
      `application destination spec for ${name} is invalid: ${error instanceof Error ? error.message : String(error)}`,
      error instanceof DiagnosisError ? [error.diagnosis] : [],
    );
  }
  const missing = requiredOfSources(app.spec);
  if (validate && missing.length === 0) {
    const found = await context.backend.checkSources(app, call.signal);
    if (found.length > 0) throw invalid(found.map(describeProblem), found);
  }
  const refused = missing.length > 0 ? missing : await permissionProblems(context, app.spec, project);
  if (refused.length > 0) throw invalid(refused);
  const url = app.metadata.annotations?.['argocd.argoproj.io/managed-by-url'];
  if (url && !/^https?:\/\/[^\s/]/i.test(url))
    throw invalid([`invalid managed-by URL: ${url} must be an http or https URL`]);
  return { ...app, spec: normalizeSpec(app.spec) };
}

/** Causes R1 to R8 are of the way to the repository: Argo CD's words for all of them. */
function describeProblem(diagnosis: Diagnosis): string {
  const text = formatDiagnosis(diagnosis);
  return /^R[1-8]$/.test(diagnosis.cause ?? '') ? `repository not accessible: ${text}` : text;
}

function assertUniqueSourceNames(app: Application): void {
  const seen = new Set<string>();
  for (const { name } of app.spec.sources ?? []) {
    if (name && seen.has(name))
      throw new RpcError(
        Code.Unknown,
        `error while validating and normalizing app: application ${app.metadata.name} has duplicate source name: ${name}`,
      );
    if (name) seen.add(name);
  }
}

/** Moving to another project needs `create` there and `update` where it comes from. */
async function effectiveProject(context: ServerContext, call: Call, app: Application): Promise<EffectiveProject> {
  const current = await context.applications.find(refOf(app));
  if (current && projectOf(current) !== projectOf(app)) {
    const enforcer = await context.enforcer();
    enforcer.enforce(call.identity, 'applications', 'create', rbacName(app, context.namespace));
    enforcer.enforce(call.identity, 'applications', 'update', rbacName(current, context.namespace));
  }
  return await projectFor(context, app);
}

function requiredOfSources(spec: ApplicationSpec): string[] {
  if (spec.sourceHydrator) {
    const { drySource, syncSource, hydrateTo } = spec.sourceHydrator;
    const missing = [];
    if (!drySource?.repoURL) missing.push('spec.sourceHydrator.drySource.repoURL is required');
    if (!syncSource?.targetBranch) missing.push('spec.sourceHydrator.syncSource.targetBranch is required');
    if (hydrateTo && !hydrateTo.targetBranch)
      missing.push('when spec.sourceHydrator.hydrateTo is set, spec.sourceHydrator.hydrateTo.targetBranch is required');
    return missing;
  }
  const several = Boolean(spec.sources?.length);
  const sources: readonly (ApplicationSource | undefined)[] = several ? sourcesOf(spec) : [spec.source];
  for (const source of sources) {
    if (!source?.repoURL || (!source.path && !source.chart && !(several && source.ref))) {
      return [
        several
          ? `spec.source.repoURL and either source.path, source.chart, or source.ref are required for source ${JSON.stringify(source)}`
          : 'spec.source.repoURL and either spec.source.path or spec.source.chart are required',
      ];
    }
    if (source.chart && !source.targetRevision)
      return ['spec.source.targetRevision is required if the manifest source is a helm chart'];
  }
  return [];
}

async function permissionProblems(
  { clusters }: ServerContext,
  spec: ApplicationSpec,
  project: EffectiveProject,
): Promise<string[]> {
  const name = project.metadata.name as string;
  const problems = allSourcesOf(spec).flatMap((source) => sourceDenial(project, source)?.message ?? []);
  const cluster = await clusters.resolve(spec.destination);
  const namespace = spec.destination.namespace ?? '';
  if (destinationDenial(project, { server: cluster.server, name: cluster.name, namespace })) {
    const server = spec.destination.name ? cluster.name : cluster.server;
    problems.push(
      `application destination server '${server}' and namespace '${namespace}' do not match any of the allowed destinations in project '${name}'`,
    );
  }
  return problems;
}
