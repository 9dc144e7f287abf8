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

  /** Throws PermissionDenied with Argo CD's words. */
  enforce(identity: Identity | undefined, resource: string, action: string, object: string): void {
    if (this.allows(identity, resource, action, object)) return;
    const details = [resource, action, object];
    if (identity) details.push(`sub: ${identity.subject}`, `iat: ${timestamp(identity.issuedAt * 1000)}`);
    throw permissionDenied(`permission denied: ${details.join(', ')}`);
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
