import type { EventsAccess } from '@tiphys/events';
import type { History } from '@tiphys/history';
import type { Client, Clock } from '@tiphys/kubernetes';
import type { ApplicationSets } from '../applications/application-sets.ts';
import type { Applications } from '../applications/applications.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { ApplicationIndex } from '../overview/application-index.ts';
import type { Backend } from '../ports/backend.ts';
import type { Log } from '../ports/log.ts';
import type { Projects } from '../projects/projects.ts';
import type { Enforcer } from '../rbac/enforcer.ts';
import type { Policies } from '../rbac/policy-book.ts';
import type { Repositories } from '../repositories/repositories.ts';
import type { RepositoryChecks } from '../repositories/repository-checks.ts';
import type { Accounts } from '../session/accounts.ts';
import type { Sessions } from '../session/sessions.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import type { PasswordHashes } from '../settings/password-hashes.ts';
import type { SingleSignOn } from '../sso/single-sign-on.ts';
import type { WorkflowsAccess } from './workflows-access.ts';

/** What the services share. */
export interface ServerContext {
  readonly client: Client;
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly accounts: Accounts;
  readonly passwords: PasswordHashes;
  readonly sessions: Sessions;
  readonly sso: SingleSignOn;
  readonly applications: Applications;
  /** The same applications as rows of lists. */
  readonly index: ApplicationIndex;
  readonly applicationSets: ApplicationSets;
  /** The events of this process; undefined where another one runs them. */
  readonly eventWays: EventsAccess | undefined;
  /** Argo Workflows' API for the page; undefined where this process does not offer it. */
  readonly workflows: WorkflowsAccess | undefined;
  readonly projects: Projects;
  readonly clusters: Clusters;
  readonly repositories: Repositories;
  readonly repositoryChecks: RepositoryChecks;
  readonly events: EventRecorder;
  /** What was decided about applications; undefined where this process cannot read it. */
  readonly history: History | undefined;
  /** The rules as they are now. */
  enforcer(): Promise<Enforcer>;
  /** The policy that they are made of. */
  policies(): Policies;
}
