import { type Diagnosis, defineDiagnosis, diagnose, nearestName } from '@tiphys/diagnosis';
import { PolicyError, type PolicyLine, parsePolicy } from './policy.ts';
import { builtin, policyKeys } from './policy-book.ts';

const policyLineIgnored = defineDiagnosis(
  'PolicyLineIgnored',
  'A line of the policy names a resource, an action, an effect or a role that there is none of, so that it grants and refuses nothing',
);

const resources = [
  'accounts',
  'applications',
  'applicationsets',
  'certificates',
  'clusters',
  'exec',
  'extensions',
  'gpgkeys',
  'logs',
  'projects',
  'repositories',
  'write-repositories',
];
const actions = ['action', 'create', 'delete', 'get', 'invoke', 'override', 'sync', 'update'];
const effects = ['allow', 'deny'];

interface Placed {
  readonly key: string;
  readonly number: number;
  readonly line: PolicyLine;
}

/** Lines of `argocd-rbac-cm` that have no effect. What cannot be read at all is told where the policy is read. */
export function oddPolicies(config: Readonly<Record<string, string>>): Diagnosis[] {
  const placed = policyKeys(config).flatMap((key) => [...linesOf(key, config[key] ?? '')]);
  const own = placed.map(({ line }) => line);
  const roles = [...new Set([...builtin, ...own].map(({ fields: [subject] }) => subject))].filter(isRole);
  const found = placed.flatMap(({ key, number, line }) => {
    const odd = oddPart(line, roles);
    return odd ? [ignored(`line ${number} of ${key}`, key, odd)] : [];
  });
  const fallback = config['policy.default'] ?? '';
  return isRole(fallback) && !roles.includes(fallback)
    ? [...found, ignored('policy.default', 'policy.default', ['role', fallback, roles])]
    : found;
}

type Odd = readonly [what: string, found: string, known: readonly string[]];

function oddPart({ type, fields }: PolicyLine, roles: readonly string[]): Odd | undefined {
  if (type === 'g') {
    const [, role] = fields;
    return isRole(role) && !roles.includes(role) ? ['role', role, roles] : undefined;
  }
  const [, resource, action, , effect] = fields;
  if (isPlain(resource) && !resources.includes(resource)) return ['resource', resource, resources];
  const verb = action.split('/', 1)[0] ?? '';
  if (isPlain(verb) && !actions.includes(verb)) return ['action', verb, actions];
  return effects.includes(effect) ? undefined : ['effect', effect, effects];
}

/** What is no pattern in either mode. */
const isPlain = (text: string) => /^[\w-]*$/.test(text);
const isRole = (name: string) => name.startsWith('role:');

function* linesOf(key: string, text: string): Iterable<Placed> {
  for (const [index, raw] of text.split('\n').entries())
    try {
      for (const line of parsePolicy(raw)) yield { key, number: index + 1, line };
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
    }
}

function ignored(where: string, key: string, [what, found, known]: Odd): Diagnosis {
  const nearest = nearestName(found, known);
  return diagnose(policyLineIgnored, {
    message: `${where} of argocd-rbac-cm has no effect: there is no ${what} ${JSON.stringify(found.slice(0, 100))}`,
    place: { object: 'ConfigMap argocd-rbac-cm', field: `data["${key}"]` },
    remedies: [
      nearest
        ? `Write ${nearest}: kubectl edit configmap argocd-rbac-cm`
        : `Use one of ${known.slice(0, 15).join(', ')}: kubectl edit configmap argocd-rbac-cm`,
    ],
  });
}
