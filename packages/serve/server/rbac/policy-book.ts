import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { builtinPolicy } from './builtin-policy.ts';
import { DecisionCache } from './decisions-cache.ts';
import { type MatchMode, Policy, PolicyError, type PolicyLine, parsePolicy } from './policy.ts';

const policyInvalid = defineDiagnosis(
  'PolicyInvalid',
  'A policy of argocd-rbac-cm cannot be read, so the last good one stays in force',
);

/** What of a project takes part in decisions. */
export interface ProjectRoles {
  readonly name: string;
  readonly roles: readonly {
    readonly name: string;
    readonly policies?: readonly string[] | undefined;
    readonly groups?: readonly string[] | undefined;
  }[];
}

type Config = Readonly<Record<string, string>>;

export interface PolicyBookOptions {
  /** Data of `argocd-rbac-cm` as it is now; the same object as long as nothing changed. */
  readonly config: () => Config;
  /** Told once for each state of the ConfigMap that cannot be read. */
  readonly onRefused?: (problem: Diagnosis) => void;
}

/**
 * The policy of `argocd-rbac-cm` as it is in force. A state of the ConfigMap with a line that cannot be read is refused whole: the
 * last good one stays; after a start without one the built-in roles are all there is.
 */
export class PolicyBook {
  readonly #options: PolicyBookOptions;
  #seen: Config | undefined;
  #current = new Policies({}, []);

  constructor(options: PolicyBookOptions) {
    this.#options = options;
  }

  current(): Policies {
    const config = this.#options.config();
    if (config === this.#seen) return this.#current;
    this.#seen = config;
    try {
      this.#current = new Policies(config, readPolicies(config));
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      this.#options.onRefused?.(
        diagnose(policyInvalid, {
          message: `${error.message}; the last good policy stays in force`,
          place: { object: 'ConfigMap argocd-rbac-cm' },
          remedies: [
            'Correct the line',
            {
              text: 'Check a policy before it is applied',
              paste: 'argocd admin settings rbac validate --policy-file policy.csv',
            },
          ],
        }),
      );
    }
    return this.#current;
  }
}

/** Keys of the ConfigMap that hold policies: `policy.csv`, and then `policy.*.csv` in their order. */
export function policyKeys(config: Config): string[] {
  const overlays = Object.keys(config)
    .filter((key) => key.startsWith('policy.') && key.endsWith('.csv') && key !== 'policy.csv')
    .sort();
  return ['policy.csv', ...overlays];
}

/** The lines of all policies. Throws a `PolicyError` that names key and line. */
function readPolicies(config: Config): PolicyLine[] {
  return policyKeys(config).flatMap((key) => {
    try {
      return parsePolicy(config[key] ?? '');
    } catch (error) {
      if (error instanceof PolicyError) throw new PolicyError(`${key}: ${error.message}`);
      throw error;
    }
  });
}

/** The lines that hold whatever the ConfigMap says. */
export const builtin = parsePolicy(builtinPolicy);

/** One good state of the ConfigMap, together with the roles of projects. */
export class Policies {
  readonly defaultRole: string;
  /** What was decided by it. */
  readonly decisions = new DecisionCache();
  readonly #mode: MatchMode;
  readonly #lines: readonly PolicyLine[];
  readonly #byProject = new Map<string, { roles: ProjectRoles['roles']; policy: Policy }>();
  #plain: Policy | undefined;

  constructor(config: Config, lines: readonly PolicyLine[]) {
    this.defaultRole = config['policy.default'] ?? '';
    this.#mode = config['policy.matchMode'] === 'regex' ? 'regex' : 'glob';
    this.#lines = lines;
  }

  /** The policy that holds for requests about the project's objects, or about no project's. */
  for(project: ProjectRoles | undefined): Policy {
    if (!project) {
      this.#plain ??= this.#policy([]);
      return this.#plain;
    }
    const known = this.#byProject.get(project.name);
    if (known?.roles === project.roles) return known.policy;
    const policy = this.#policy(projectPolicy(project));
    this.#byProject.set(project.name, { roles: project.roles, policy });
    return policy;
  }

  #policy(own: readonly PolicyLine[]): Policy {
    // The built-in roles are written as globs, whatever the mode of the user's own lines is.
    return new Policy([
      { lines: builtin, mode: 'glob' },
      { lines: [...this.#lines, ...own], mode: this.#mode },
    ]);
  }
}

/** What the roles of a project grant: to read the project, their policies, and both to their groups. Lines about others are dropped. */
function projectPolicy({ name, roles }: ProjectRoles): PolicyLine[] {
  return roles.flatMap((role) => {
    const subject = `proj:${name}:${role.name}`;
    const own = (role.policies ?? [])
      .flatMap(readable)
      .filter(({ type, fields }) => type === 'p' && fields[0] === subject);
    const groups = (role.groups ?? []).flatMap((group) => readable(`g, ${group}, ${subject}`));
    return [{ type: 'p', fields: [subject, 'projects', 'get', name, 'allow'] }, ...own, ...groups];
  });
}

/** The lines of a text of a project; none if it cannot be read, since the API refuses such texts. */
function readable(text: string): PolicyLine[] {
  try {
    return parsePolicy(text);
  } catch (error) {
    if (error instanceof PolicyError) return [];
    throw error;
  }
}
