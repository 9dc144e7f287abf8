import type { Application } from '@tiphys/api';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { generatedApplicationInvalid } from '../diagnoses/diagnoses.ts';
import type { GeneratedApplication } from '../generators/generate-applications.ts';
import { unknownPatchField } from '../template/unknown-fields.ts';
import type { SetContext, SetPass } from './reconciliation.ts';

/**
 * Sorts out what cannot be an Application: names that come twice, projects and clusters that there are not. Upstream rule: these are
 * neither written nor deleted; the others go on.
 */
export function validate({ next, context, memory }: SetPass): void {
  const { work } = memory;
  const generated = memory.generation?.applications ?? [];
  const byName = new Map<string, GeneratedApplication[]>();
  for (const item of generated) {
    const name = item.application.metadata.name ?? '';
    byName.set(name, [...(byName.get(name) ?? []), item]);
  }
  for (const [name, items] of byName) {
    const problem = problemOf(items, next.metadata.name ?? '', context);
    if (problem) work.invalid.set(name, problem);
    else work.valid.push((items[0] as GeneratedApplication).application);
  }
  work.valid.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const unknown = next.spec.templatePatch === undefined ? undefined : firstUnknown(work.valid);
  if (unknown) work.diagnoses.push(unknown);
  if (work.invalid.size === 0) return;
  const names = [...work.invalid.keys()].sort();
  const last = work.invalid.get(names.at(-1) as string) as Diagnosis;
  const message = names.length > 1 ? `${last.message} (and ${names.length - 1} more)` : last.message;
  work.outcome = { kind: 'error', reason: 'ApplicationValidationError', message };
  work.diagnoses.push(...names.map((name) => work.invalid.get(name) as Diagnosis));
}

/** One is told of all: they have the same patch. */
function firstUnknown(applications: readonly Application[]): Diagnosis | undefined {
  for (const application of applications) {
    const found = unknownPatchField(application);
    if (found) return found;
  }
  return undefined;
}

function problemOf(
  items: readonly GeneratedApplication[],
  setName: string,
  context: SetContext,
): Diagnosis | undefined {
  const [first, second] = items as [GeneratedApplication, GeneratedApplication?];
  const { application, origin, parameters } = first;
  const { namespace, name } = application.metadata;
  const invalid = (message: string, field: string, remedies: string[]) =>
    diagnose(generatedApplicationInvalid, {
      message,
      place: { object: `Application ${namespace}/${name}`, field },
      evidence: {
        generator: origin.field,
        element: origin.element,
        'other element': second?.origin.element,
      },
      remedies,
    });
  const unset = /\{\{\s*([\w.-]{1,200})\s*\}\}/.exec(name ?? '')?.[1];
  if (unset !== undefined)
    return invalid(
      `The name ${JSON.stringify(name)} asks for ${unset}, which its element does not have`,
      'spec.template.metadata.name',
      [`Give each element of ${origin.field} the parameter ${unset}, or correct the template`],
    );
  if (name?.includes('<no value>'))
    return invalid(
      `The name ${JSON.stringify(name)} asks for what its element does not have; there ${parameters.length === 1 ? 'is' : 'are'} ${parameters.toSorted().join(', ') || 'no parameters'}`,
      'spec.template.metadata.name',
      [
        ...(parameters.some((each) => each === 'true' || each === 'false')
          ? ['Put quotes around keys such as n, no, off, y, yes and on: YAML reads them as false and true']
          : []),
        `Give each element of ${origin.field} the parameter, or correct the template; with goTemplateOptions: ["missingkey=error"] each field is held to that`,
      ],
    );
  if (!isName(name ?? ''))
    return invalid(`The name ${JSON.stringify(name)} is no name of an object`, 'spec.template.metadata.name', [
      'Use lower-case letters, digits, - and . in the template, such as {{ normalize .name }}',
    ]);
  if (second)
    return invalid(
      `ApplicationSet ${setName} contains applications with duplicate name: ${name}`,
      'spec.template.metadata.name',
      ['Add a parameter to the name that tells the elements apart'],
    );
  const { project = '' } = application.spec;
  if (!context.sources.projectExists(project))
    return invalid(`application references project ${project} which does not exist`, 'spec.template.spec.project', [
      'Create the project, or name another one',
    ]);
  const reason = destinationProblem(application, context);
  return reason === undefined
    ? undefined
    : invalid(`application destination spec is invalid: ${reason}`, 'spec.template.spec.destination', [
        'Register the cluster with argocd cluster add, or correct the destination',
      ]);
}

function destinationProblem({ spec: { destination } }: Application, { clusters }: SetContext): string | undefined {
  const { server, name } = destination ?? {};
  if (server && name) return `application destination can't have both name and server defined: ${name} ${server}`;
  if (!server && !name) return 'Destination server missing from app spec';
  const all = clusters.list();
  if (server) {
    const wanted = server.replace(/(?<!\/)\/+$/, '');
    return all.some((cluster) => cluster.server === wanted)
      ? undefined
      : `error getting cluster by server "${wanted}": cluster "${wanted}" not found`;
  }
  const found = all.filter((cluster) => cluster.name === name);
  if (found.length === 1) return undefined;
  return found.length === 0
    ? `there are no clusters with this name: ${name}`
    : `there are ${found.length} clusters with the same name: [${found.map((cluster) => cluster.server).join(' ')}]`;
}

function isName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(part));
}
