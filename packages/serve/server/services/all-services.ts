import type { ServerContext } from '../context/server-context.ts';
import type { AllHandlers } from '../rpc/handlers.ts';
import { accountService } from './account-service.ts';
import { applicationChanges } from './application/changes.ts';
import { applicationManifests } from './application/manifests.ts';
import { applicationObservations } from './application/observations.ts';
import { applicationOperations } from './application/operations.ts';
import { applicationQueries } from './application/queries.ts';
import { applicationResources } from './application/resources.ts';
import { serverSideDiff } from './application/server-side-diff.ts';
import { applicationSetService } from './applicationset-service.ts';
import { certificateService } from './certificate-service.ts';
import { clusterService } from './cluster-service.ts';
import { gpgKeyService } from './gpgkey-service.ts';
import { notificationService } from './notification-service.ts';
import { projectService } from './project-service.ts';
import { repoCredsService } from './repocreds-service.ts';
import { repositoryService } from './repository-service.ts';
import { sessionService } from './session-service.ts';
import { settingsService } from './settings-service.ts';
import { versionService } from './version-service.ts';

/** What serves each method of the API. */
export function allServices(context: ServerContext): AllHandlers {
  return {
    session: sessionService(context),
    version: versionService(context),
    settings: settingsService(context),
    account: accountService(context),
    project: projectService(context),
    repository: repositoryService(context),
    repocreds: repoCredsService(context),
    applicationset: applicationSetService(context),
    certificate: certificateService(context),
    cluster: clusterService(context),
    gpgkey: gpgKeyService(context),
    notification: notificationService(context),
    application: {
      ...applicationQueries(context),
      ...applicationChanges(context),
      ...applicationOperations(context),
      ...applicationResources(context),
      ...applicationManifests(context),
      ...applicationObservations(context),
      ...serverSideDiff(context),
    },
  };
}
