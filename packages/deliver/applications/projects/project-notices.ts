import type { AppProject } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const policyIdle = defineDiagnosis(
  'ProjectPolicyIdle',
  'A policy of a role of a project is about another role or another project, so that it grants nothing',
);

/** More of them say nothing new. */
const shown = 5;

/** Policies of the roles of a project that can have no effect: the API refuses them, and kubectl does not. */
export function projectNotices({ metadata, spec }: AppProject): Diagnosis[] {
  const project = metadata.name ?? '';
  const found: Diagnosis[] = [];
  for (const [at, role] of (spec.roles ?? []).entries())
    for (const [index, policy] of (role.policies ?? []).entries()) {
      const problem = policyProblem(policy, project, role.name ?? '');
      if (problem === undefined || found.length >= shown) continue;
      const field = `spec.roles[${at}].policies[${index}]`;
      found.push(
        diagnose(policyIdle, {
          message: `A policy of role ${role.name} of project ${project} grants nothing: ${problem.reason}`,
          place: { object: `AppProject ${project}`, field },
          evidence: { policy },
          remedies: [problem.remedy],
        }),
      );
    }
  return found;
}

function policyProblem(
  policy: string,
  project: string,
  role: string,
): { readonly reason: string; readonly remedy: string } | undefined {
  const [type, subject = '', , , object = ''] = policy.split(',').map((part) => part.trim());
  const own = `proj:${project}:${role}`;
  if (type !== 'p')
    return { reason: `it begins with "${type}"`, remedy: `Write "p, ${own}, applications, get, ${project}/*, allow"` };
  if (subject !== own)
    return { reason: `its subject is ${subject}, not ${own}`, remedy: `Write ${own} as its subject` };
  if (object.startsWith(`${project}/`)) return undefined;
  return {
    reason: `its object ${object} is not of this project`,
    remedy: `Write ${project}/* or ${project}/APPLICATION as its object; rights in other projects come from their own roles, or from policy.csv of argocd-rbac-cm`,
  };
}
