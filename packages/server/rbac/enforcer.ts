import { permissionDenied } from '../rpc/rpc-error.ts';
import type { Identity } from '../session/identity.ts';
import { projectRoleOf } from '../session/identity.ts';
import { rfc3339 } from '../settings/initialize.ts';
import { builtinPolicy } from './builtin-policy.ts';
import { Policy, type Request } from './policy.ts';

/** What of a project takes part in decisions. */
export interface ProjectRoles {
  readonly name: string;
  readonly roles: readonly {
    name: string;
    policies?: readonly string[] | undefined;
    groups?: readonly string[] | undefined;
  }[];
}

export interface EnforcerOptions {
  /** Data of `argocd-rbac-cm`. */
  readonly config: Readonly<Record<string, string>>;
  /** The project of that name, or undefined. */
  readonly project: (name: string) => ProjectRoles | undefined;
  /** Told once for each policy text that does not parse; the built-in policy stays in force alone then. */
  readonly onBadPolicy?: (message: string) => void;
}

const scopedByProject = new Set(['applicationsets', 'applications', 'repositories', 'clusters', 'logs', 'exec']);
const cache = new Map<string, Policy>();

/** Decides by `argocd-rbac-cm`, the built-in roles and the roles of projects. A snapshot: make one for each call. */
export class Enforcer {
  readonly #options: EnforcerOptions;
  readonly #mode: 'glob' | 'regex';
  readonly #defaultRole: string;
  /** Of this snapshot, by project: making the key of the shared cache is work that grows with the policy. */
  readonly #policies = new Map<string | undefined, Policy>();

  constructor(options: EnforcerOptions) {
    this.#options = options;
    this.#mode = options.config['policy.matchMode'] === 'regex' ? 'regex' : 'glob';
    this.#defaultRole = options.config['policy.default'] ?? '';
  }

  /** Whether the caller may; undefined is the anonymous caller, who has only the default role. */
  allows(identity: Identity | undefined, resource: string, action: string, object: string): boolean {
    const request: Request = { resource, action, object };
    const project = this.#projectOf(request);
    const policy = this.#policy(project);
    if (this.#defaultRole && this.#policy(undefined).allows(this.#defaultRole, request)) return true;
    if (!identity) return false;
    const role = projectRoleOf(identity.subject);
    if (role && project && role.project !== project.name) return false;
    if (this.#ask(policy, identity.subject, request)) return true;
    return identity.groups.some((group) => policy.binds(group) && this.#ask(policy, group, request));
  }

  /** Throws PermissionDenied with Argo CD's words. */
  enforce(identity: Identity | undefined, resource: string, action: string, object: string): void {
    if (this.allows(identity, resource, action, object)) return;
    const details = [resource, action, object];
    if (identity) details.push(`sub: ${identity.subject}`, `iat: ${rfc3339(identity.issuedAt * 1000)}`);
    throw permissionDenied(`permission denied: ${details.join(', ')}`);
  }

  #ask(policy: Policy, subject: string, request: Request): boolean {
    return policy.allows(subject, request) || (this.#defaultRole !== '' && policy.allows(this.#defaultRole, request));
  }

  #projectOf({ resource, object }: Request): ProjectRoles | undefined {
    if (resource === 'projects') return this.#options.project(object);
    const slash = object.indexOf('/');
    return scopedByProject.has(resource) && slash >= 0 ? this.#options.project(object.slice(0, slash)) : undefined;
  }

  #policy(project: ProjectRoles | undefined): Policy {
    const known = this.#policies.get(project?.name) ?? this.#shared(project);
    this.#policies.set(project?.name, known);
    return known;
  }

  #shared(project: ProjectRoles | undefined): Policy {
    const { config, onBadPolicy } = this.#options;
    const users = Object.keys(config)
      .filter((key) => key === 'policy.csv' || (key.startsWith('policy.') && key.endsWith('.csv')))
      .sort((a, b) => (a === 'policy.csv' ? -1 : b === 'policy.csv' ? 1 : a < b ? -1 : 1))
      .map((key) => config[key] as string);
    const own = project ? projectPolicy(project) : '';
    const key = JSON.stringify([this.#mode, users, own]);
    const known = cache.get(key);
    if (known) return known;
    const policy = this.#compile([users, own ? [own] : []], onBadPolicy);
    if (cache.size >= 1000) cache.clear();
    cache.set(key, policy);
    return policy;
  }

  /** Drops the project's part if it is bad, then the user's, as the last resort the built-in roles alone. */
  #compile([users, own]: [string[], string[]], onBadPolicy?: (message: string) => void): Policy {
    for (const texts of [[...users, ...own], users, []]) {
      try {
        return new Policy([builtinPolicy, ...texts], this.#mode);
      } catch (error) {
        onBadPolicy?.(error instanceof Error ? error.message : String(error));
      }
    }
    throw new Error('the built-in policy does not parse');
  }
}

/** What the roles of a project grant: their policies, their groups, and to read the project itself. Lines about other subjects are dropped. */
function projectPolicy({ name, roles }: ProjectRoles): string {
  return roles
    .flatMap((role) => {
      const subject = `proj:${name}:${role.name}`;
      const own = (role.policies ?? []).filter((line) =>
        new RegExp(`^\\s*p\\s*,\\s*${RegExp.escape(subject)}\\s*,`).test(line),
      );
      const groups = (role.groups ?? []).map((group) => `g, ${group.includes(',') ? `"${group}"` : group}, ${subject}`);
      return [`p, ${subject}, projects, get, ${name}, allow`, ...own, ...groups];
    })
    .join('\n');
}
