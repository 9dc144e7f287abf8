import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, type ObjectKey } from '@tiphys/kubernetes';
import { explainConditions } from '../health/explain-conditions.ts';
import { ownDiagnosis } from '../health/own-diagnosis.ts';
import { objectsAt, textAt } from '../model/fields.ts';
import { type ComparedResource, isLive } from '../model/model.ts';
import { budgetNotice } from './budget-notice.ts';
import type { Notice, NoticeContext } from './notice.ts';
import { overlapNotice } from './overlap-notice.ts';
import { probeNotice } from './probe-notice.ts';
import { deploymentNotice, ingressNotice, pullSecretNotice, statefulSetNotice } from './reference-notices.ts';
import { serviceNotice } from './service-notice.ts';

const roleMissing = defineDiagnosis(
  'RoleMissing',
  'A binding names a role that does not exist, so that it grants nothing',
  'C1',
);
const policyMissing = defineDiagnosis('PolicyMissing', 'A binding names an admission policy that does not exist');
const lastRunFailed = defineDiagnosis('LastRunFailed', 'The last run that a schedule started has failed', 'W8');

type Rule = (resource: ComparedResource, context: NoticeContext) => Notice;

const rbac = 'rbac.authorization.k8s.io';

const rules: Readonly<Record<string, readonly Rule[]>> = {
  [`${rbac}/RoleBinding`]: [bindingNotice],
  [`${rbac}/ClusterRoleBinding`]: [bindingNotice],
  '/Service': [serviceNotice],
  'networking.k8s.io/Ingress': [ingressNotice],
  'apps/StatefulSet': [statefulSetNotice, probeNotice],
  'apps/Deployment': [deploymentNotice, overlapNotice, probeNotice],
  'argoproj.io/Rollout': [overlapNotice, probeNotice],
  'apps/DaemonSet': [pullSecretNotice, probeNotice],
  'policy/PodDisruptionBudget': [budgetNotice],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': [policyNotice],
  'argoproj.io/CronWorkflow': [lastRunNotice],
};

/** Younger objects may still wait for what the same sync brings, in milliseconds. */
const settledAfter = 5_000;
/** What a new object waits for, such as its bus, is no failure until then, in milliseconds. */
const startsWithin = 30_000;

/**
 * What no health check reads, and operators would want to know of objects that are delivered as desired: links that lead
 * nowhere, budgets that block, kinds without a check whose controller says that they are not well; and, delivered or not, what
 * `checks` find in their text, which is among the `failures` as what a controller of Tiphys says of an object of its own kind. Asks the
 * server nothing.
 * `soon` says that there is more to tell once the objects are some seconds old.
 */
export function objectNotices(context: NoticeContext): {
  readonly diagnoses: readonly Diagnosis[];
  readonly failures: readonly Diagnosis[];
  readonly soon: boolean;
} {
  const diagnoses: Diagnosis[] = [];
  const failures: Diagnosis[] = [...checked(context)];
  let soon = false;
  for (const resource of context.resources) {
    const { key, hook, health } = resource;
    if (hook || !isLive(resource)) continue;
    const isUnchecked = health === undefined && isCustom(key);
    const told = isUnchecked && resource.live ? ownDiagnosis(resource.live) : undefined;
    if (told && isYoung(key, context)) soon = true;
    else if (told) (isYoung(key, context, startsWithin) ? diagnoses : failures).push(withOrigin(told, resource));
    const own = isUnchecked && !told ? [ownWords] : [];
    for (const rule of rules[`${key.group}/${key.kind}`] ?? own) {
      const notice = rule(resource, context);
      if (notice === undefined) continue;
      if (notice === 'soon' || isYoung(key, context)) soon = true;
      else diagnoses.push(withOrigin(notice, resource));
    }
  }
  return { diagnoses, failures, soon };
}

function* checked({ resources, checks }: NoticeContext): Iterable<Diagnosis> {
  const all = resources.flatMap(({ desired }) => desired ?? []);
  for (const resource of resources) {
    const { key, desired } = resource;
    const check = checks?.get(`${key.group}/${key.kind}`);
    if (desired && check) for (const diagnosis of check(desired, all)) yield withOrigin(diagnosis, resource);
  }
}

function isYoung(key: ObjectKey, { cache, now }: NoticeContext, age = settledAfter): boolean {
  return now - Date.parse(cache.node(key)?.createdAt ?? '') < age;
}

function withOrigin(diagnosis: Diagnosis, { origin }: ComparedResource): Diagnosis {
  if (!origin?.file || diagnosis.place?.file) return diagnosis;
  const { file, line } = origin;
  return { ...diagnosis, place: { ...diagnosis.place, file, ...(line ? { line } : {}) } };
}

function bindingNotice({ key, desired }: ComparedResource, { cache }: NoticeContext): Notice {
  const { kind, name } = { kind: textAt(desired, 'roleRef', 'kind'), name: textAt(desired, 'roleRef', 'name') };
  if ((kind !== 'Role' && kind !== 'ClusterRole') || !name || !cache.watches(rbac, kind)) return undefined;
  const namespace = kind === 'Role' ? key.namespace : '';
  if (cache.node({ group: rbac, kind, namespace, name })) return undefined;
  const subjects = objectsAt(desired, 'subjects').map(
    (subject) => `${textAt(subject, 'kind')} ${textAt(subject, 'name')}`,
  );
  return diagnose(roleMissing, {
    message: `${kind} ${name}${namespace ? ` does not exist in namespace ${namespace}` : ' does not exist'}: ${key.kind} ${key.name} grants nothing`,
    place: { object: describeKey(key), field: 'roleRef' },
    evidence: { 'bound to': subjects.slice(0, 5).join(', ') || 'nobody' },
    remedies: [
      `Create ${kind} ${name}, or name another role: roleRef cannot be changed, so that the binding is to be replaced`,
    ],
  });
}

function policyNotice({ key, desired }: ComparedResource, { cache }: NoticeContext): Notice {
  const name = textAt(desired, 'spec', 'policyName');
  const policy = { group: key.group, kind: 'ValidatingAdmissionPolicy', namespace: '', name };
  if (!name || !cache.watches(policy.group, policy.kind) || cache.node(policy)) return undefined;
  return diagnose(policyMissing, {
    message: `ValidatingAdmissionPolicy ${name} does not exist: ValidatingAdmissionPolicyBinding ${key.name} lets everything pass`,
    place: { object: describeKey(key), field: 'spec.policyName' },
    remedies: [`Create ValidatingAdmissionPolicy ${name}, or correct spec.policyName`],
  });
}

function lastRunNotice({ key }: ComparedResource, { cache }: NoticeContext): Notice {
  const [newest] = cache
    .tree([key])
    .filter((node) => node.key.kind === 'Workflow')
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  if (newest?.health?.status !== 'Degraded') return undefined;
  const { name, namespace } = newest.key;
  return diagnose(lastRunFailed, {
    message: `The last run of CronWorkflow ${key.name}, Workflow ${name}, failed: ${newest.health.message || 'without a message'}`,
    place: { object: describeKey(key) },
    evidence: { run: name, started: newest.createdAt },
    remedies: [
      { text: 'See which of its nodes failed, and why', paste: `tiphys workflows get ${name} -n ${namespace}` },
    ],
  });
}

function isCustom({ group }: ObjectKey): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io');
}

/** Conditions by these names say that an object does not work where they are False, whatever its kind. */
const working =
  /^(?:Ready|Available|Healthy|Accepted|Programmed|ResolvedRefs|Established|Valid|Deployed|Configured|SourcesProvided|TriggersProvided|DependenciesProvided)$/;

/** What the controller of a kind without a health check tells of the object. */
function ownWords({ live }: ComparedResource): Notice {
  if (!live) return undefined;
  const conditions = objectsAt(live, 'status', 'conditions').filter((condition) =>
    working.test(textAt(condition, 'type')),
  );
  return explainConditions({ ...live, status: { conditions } } as KubeObject, { status: 'Healthy' });
}
