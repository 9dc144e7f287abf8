import { timestamp } from '@tiphys/kubernetes';
import type { Identity } from '../rpc/identity.ts';
import { projectRoleOf } from '../rpc/identity.ts';
import { permissionDenied } from '../rpc/rpc-error.ts';
import type { Policy, Request } from './policy.ts';
import type { Policies, ProjectRoles } from './policy-book.ts';

export interface EnforcerOptions {
  readonly policies: Policies;
  /** The project of that name, or undefined. */
  readonly project: (name: string) => ProjectRoles | undefined;
  /** Everybody may do everything. */
  readonly disabled?: boolean;
}

const scopedByProject = new Set(['applicationsets', 'applications', 'repositories', 'clusters', 'logs', 'exec']);

/** Decides by `argocd-rbac-cm`, the built-in roles and the roles of projects. A snapshot: make one for each call. */
export class Enforcer {
  readonly #policies: Policies;
  readonly #project: EnforcerOptions['project'];
  readonly #disabled: boolean;

  constructor({ policies, project, disabled = false }: EnforcerOptions) {
    this.#policies = policies;
    this.#project = project;
    this.#disabled = disabled;
  }

  /** Whether the caller may; undefined is the anonymous caller, who has only the default role. */
  allows(identity: Identity | undefined, resource: string, action: string, object: string): boolean {
    if (this.#disabled) return true;
    const request: Request = { resource, action, object };
    const plain = this.#policies.for(undefined);
    // As upstream, what is granted to the empty subject is granted to everybody.
    if (this.#asks(plain, '', request)) return true;
    if (!identity) return false;
    const project = this.#projectOf(request);
    const role = projectRoleOf(identity.subject);
    if (role && project && role.project !== project.name) return false;
    const policy = this.#policies.for(project);
    if (this.#asks(policy, identity.subject, request)) return true;
    // A token of a project has no groups that anybody could have given to it.
    if (role && project) return false;
    return identity.groups.some((group) => policy.binds(group) && this.#asks(policy, group, request));
  }

  /**
   * `allows` for a list: who asks again about the same objects gets what was decided, for as long as neither the policy nor the
   * roles of the object's project have changed. For one call only.
   */
  decider(identity: Identity | undefined, resource: string, action: string): (object: string) => boolean {
    if (this.#disabled) return () => true;
    const known = this.#policies.decisions.of([resource, action, ...callerOf(identity)]);
    const rolesOf = remembered((project: string) => this.#project(project)?.roles);
    const everyOf = remembered((project: string) => this.#allowsEvery(identity, { resource, action, project }));
    return (object) => {
      const slash = scopedByProject.has(resource) ? object.indexOf('/') : -1;
      const project = slash >= 0 ? object.slice(0, slash) : undefined;
      if (project !== undefined && everyOf(project)) return true;
      const roles = project !== undefined ? rolesOf(project) : undefined;
      const before = known.get(object);
      if (before && before.roles === roles) return before.allowed;
      const allowed = this.allows(identity, resource, action, object);
      if (resource !== 'projects') known.set(object, { roles, allowed });
      return allowed;
    };
  }

  /** Throws PermissionDenied with Argo CD's words. */
  enforce(identity: Identity | undefined, resource: string, action: string, object: string): void {
    if (this.allows(identity, resource, action, object)) return;
    const details = [resource, action, object];
    if (identity) details.push(`sub: ${identity.subject}`, `iat: ${timestamp(identity.issuedAt * 1000)}`);
    throw permissionDenied(`permission denied: ${details.join(', ')}`);
  }

  /** Whether `allows` is true for every object of a project, as far as its rules tell: by the same steps. */
  #allowsEvery(
    identity: Identity | undefined,
    { resource, action, project: name }: { resource: string; action: string; project: string },
  ): boolean {
    const asks = (policy: Policy, subject: string) =>
      (this.#policies.defaultRole !== '' && policy.allowsEvery(this.#policies.defaultRole, resource, action)) ||
      policy.allowsEvery(subject, resource, action);
    if (asks(this.#policies.for(undefined), '')) return true;
    if (!identity) return false;
    const project = this.#project(name);
    const role = projectRoleOf(identity.subject);
    if (role && project && role.project !== project.name) return false;
    const policy = this.#policies.for(project);
    if (asks(policy, identity.subject)) return true;
    if (role && project) return false;
    return identity.groups.some((group) => policy.binds(group) && asks(policy, group));
  }

  #asks(policy: Policy, subject: string, request: Request): boolean {
    const { defaultRole } = this.#policies;
    return (defaultRole !== '' && policy.allows(defaultRole, request)) || policy.allows(subject, request);
  }

  #projectOf({ resource, object }: Request): ProjectRoles | undefined {
    if (resource === 'projects') return this.#project(object);
    const slash = object.indexOf('/');
    return scopedByProject.has(resource) && slash >= 0 ? this.#project(object.slice(0, slash)) : undefined;
  }
}

/** What of a caller decisions depend on. */
function callerOf(identity: Identity | undefined): string[] {
  return identity ? [identity.subject, ...identity.groups] : [];
}

function remembered<T>(find: (name: string) => T): (name: string) => T {
  const found = new Map<string, T>();
  return (name) => {
    if (!found.has(name)) found.set(name, find(name));
    return found.get(name) as T;
  };
}
