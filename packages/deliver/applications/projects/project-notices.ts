import type { AppProject } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose, nearestName } from '@tiphys/diagnosis';
import { isUnknownZone } from './sync-windows.ts';

const policyIdle = defineDiagnosis(
  'ProjectPolicyIdle',
  'A policy of a role of a project is about another role or another project, so that it grants nothing',
);

const zoneUnknown = defineDiagnosis(
  'SyncWindowZoneUnknown',
  'A sync window names a time zone that nobody knows, so that its schedule counts in UTC',
);

/** Zones as the runtime knows them. */
const zones = (): readonly string[] => Intl.supportedValuesOf('timeZone');

function zoneNotices({ metadata, spec }: AppProject): Diagnosis[] {
  return (spec.syncWindows ?? []).flatMap((window, index) => {
    if (!isUnknownZone(window)) return [];
    const zone = window.timeZone ?? '';
    const near = nearestName(zone, zones());
    return [
      diagnose(zoneUnknown, {
        message: `Nobody knows the time zone ${zone} of a sync window of project ${metadata.name}: its schedule ${window.schedule} counts in UTC`,
        place: { object: `AppProject ${metadata.name}`, field: `spec.syncWindows[${index}].timeZone` },
        remedies: [near ? `Write ${near}` : 'Write a name of the IANA database, such as Europe/Berlin'],
      }),
    ];
  });
}

/** More of them say nothing new. */
const shown = 5;

/** What of a project can have no effect, or another than is meant: the API refuses some of it, and kubectl does not. */
export function projectNotices(project: AppProject): Diagnosis[] {
  return [...policyNotices(project), ...zoneNotices(project)];
}

function policyNotices({ metadata, spec }: AppProject): Diagnosis[] {
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
