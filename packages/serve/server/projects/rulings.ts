import type { Application, AppProject } from '@tiphys/api';
import { destinationDenial, type EffectiveProject, objectDenial, sourceDenial, syncBlock } from '@tiphys/applications';
import type { Diagnosis } from '@tiphys/diagnosis';
import { Enforcer } from '../rbac/enforcer.ts';
import type { Policies } from '../rbac/policy-book.ts';

/** What is asked of a project; empty texts are not asked. */
export interface RulingQuestions {
  readonly repository: string;
  readonly server: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly application: string;
  readonly role: string;
  readonly action: string;
}

export interface Ruling {
  readonly question: string;
  readonly allowed: boolean;
  /** Field of the project with the entry that decided; with why, where none did. */
  readonly rule: string;
  readonly remedy?: string;
}

/** Answers of a project to each question, with the rule that decides as deliveries do. */
export function rulingsOf(
  project: EffectiveProject,
  asked: RulingQuestions,
  { policies, now }: { policies: Policies; now: number },
): Ruling[] {
  const rulings: Ruling[] = [];
  const { repository, server, cluster, namespace, group, kind, namespaced } = asked;
  const destination = { server, name: cluster, namespace };
  if (repository)
    rulings.push({
      question: `Deliver from ${repository}`,
      ...decided(sourceDenial(project, { repoURL: repository }), 'sourceRepos', () =>
        (project.spec.sourceRepos ?? []).find(
          (rule) => sourceDenial(withSpec(project, { sourceRepos: [rule] }), { repoURL: repository }) === undefined,
        ),
      ),
    });
  if (namespace && (server || cluster))
    rulings.push({
      question: `Deliver to ${cluster || server} / ${namespace}`,
      ...decided(destinationDenial(project, destination), 'destinations', () =>
        (project.spec.destinations ?? []).find(
          (rule) => destinationDenial(withSpec(project, { destinations: [rule] }), destination) === undefined,
        ),
      ),
    });
  if (kind) rulings.push(kindRuling(project, { group, kind, namespaced, destination }));
  if (asked.application)
    for (const manual of [false, true]) rulings.push(windowRuling(project, asked, { manual, now }));
  if (asked.role && asked.action && asked.application) rulings.push(roleRuling(project, asked, policies));
  return rulings;
}

function withSpec(project: EffectiveProject, spec: Partial<AppProject['spec']>): EffectiveProject {
  return { ...project, spec: { ...project.spec, ...spec } };
}

function decided(
  denial: Diagnosis | undefined,
  field: string,
  find: () => unknown,
): Pick<Ruling, 'allowed' | 'rule' | 'remedy'> {
  if (!denial) return { allowed: true, rule: `${field}: ${JSON.stringify(find())}` };
  const remedy = remedyOf(denial);
  return {
    allowed: false,
    rule: `${field}: ${denial.evidence.find(({ name }) => name === 'deciding rule')?.value ?? denial.message}`,
    ...(remedy ? { remedy } : {}),
  };
}

function remedyOf({ remedies }: Diagnosis): string | undefined {
  return remedies[0]?.text;
}

function kindRuling(
  project: EffectiveProject,
  {
    group,
    kind,
    namespaced,
    destination,
  }: {
    group: string;
    kind: string;
    namespaced: boolean;
    destination: { server: string; name: string; namespace: string };
  },
): Ruling {
  const key = { group, kind, namespace: namespaced ? destination.namespace : '', name: '*' };
  const question = `Deliver ${group ? `${group}/` : ''}${kind}, ${namespaced ? 'in a namespace' : 'cluster-scoped'}`;
  // where it goes is a question of its own
  const anywhere = withSpec(project, {
    destinations: [{ server: '*', name: '*', namespace: '*' }],
    permitOnlyProjectScopedClusters: false,
  });
  const denial = objectDenial(anywhere, key, namespaced, { server: '*', name: '*', namespace: '*' });
  if (denial) return { question, ...decided(denial, 'kinds', () => undefined) };
  const field = namespaced ? 'namespaceResourceWhitelist' : 'clusterResourceWhitelist';
  const list = project.spec[field];
  const entry = list?.find((rule) => !objectDenial(withSpec(anywhere, { [field]: [rule] }), key, namespaced, anyPlace));
  return {
    question,
    allowed: true,
    rule: entry ? `${field}: ${JSON.stringify(entry)}` : `${field} is not set, which permits all kinds of namespaces`,
  };
}

const anyPlace = { server: '*', name: '*', namespace: '*' };

function windowRuling(
  project: EffectiveProject,
  { application, server, cluster, namespace }: RulingQuestions,
  { manual, now }: { manual: boolean; now: number },
): Ruling {
  const app = {
    metadata: { name: application },
    spec: { project: project.metadata.name, destination: { server, name: cluster, namespace } },
  } as unknown as Application;
  const question = manual ? `Sync ${application} by hand now` : `Sync ${application} automatically now`;
  const block = syncBlock(project, app, now, { manual });
  if (!block) return { question, allowed: true, rule: 'syncWindows: none forbids it now' };
  const words = block.windows.map(
    ({ kind, schedule, duration, timeZone }) =>
      `${kind} ${schedule} for ${duration}${timeZone ? ` (${timeZone})` : ''}`,
  );
  return {
    question,
    allowed: false,
    rule: `syncWindows: ${block.problem ?? words.join(', ')}`,
    ...(block.until === undefined ? {} : { remedy: `Wait until ${new Date(block.until).toISOString()}` }),
  };
}

function roleRuling(
  project: EffectiveProject,
  { role, action, application }: RulingQuestions,
  policies: Policies,
): Ruling {
  const name = project.metadata.name ?? '';
  const found = project.spec.roles?.find((candidate) => candidate.name === role);
  const lines = found?.policies ?? [];
  const asks = (own: readonly string[]) =>
    new Enforcer({ policies, project: () => ({ name, roles: [{ name: role, policies: own }] }) }).allows(
      {
        subject: `proj:${name}:${role}`,
        groups: [],
        issuer: '',
        issuedAt: 0,
        expiresAt: undefined,
        id: '',
        capability: 'apiKey',
      },
      'applications',
      action,
      `${name}/${application}`,
    );
  const allowed = asks(lines);
  const everything = `p, proj:${name}:${role}, applications, *, ${name}/*, allow`;
  const alone = allowed
    ? (lines.find((line) => asks([line])) ?? 'policy.default of argocd-rbac-cm')
    : (lines.find((line) => !asks([everything, line])) ?? 'no policy allows it');
  return { question: `Role ${role}: ${action} ${application}`, allowed, rule: `roles: ${alone}` };
}
