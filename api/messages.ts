import { createRegistry, type DescService, type Registry } from '@bufbuild/protobuf';
import { AccountService } from './generated/argocd/services/account_pb.js';
import { ApplicationService } from './generated/argocd/services/application_pb.js';
import { ApplicationSetService } from './generated/argocd/services/applicationset_pb.js';
import { AskPassService } from './generated/argocd/services/askpass_pb.js';
import { CertificateService } from './generated/argocd/services/certificate_pb.js';
import { ClusterService } from './generated/argocd/services/cluster_pb.js';
import { GPGKeyService } from './generated/argocd/services/gpgkey_pb.js';
import { NotificationService } from './generated/argocd/services/notification_pb.js';
import { ConfigManagementPluginService } from './generated/argocd/services/plugin_pb.js';
import { ProjectService } from './generated/argocd/services/project_pb.js';
import { RepoCredsService } from './generated/argocd/services/repocreds_pb.js';
import { RepositoryService } from './generated/argocd/services/repository_pb.js';
import { SessionService } from './generated/argocd/services/session_pb.js';
import { SettingsService } from './generated/argocd/services/settings_pb.js';
import { VersionService } from './generated/argocd/services/version_pb.js';

export { http as httpRule } from './generated/argocd/google/api/annotations_pb.js';
export { plainWithBreaks, toWireWithBreaks } from './wire/breaks.ts';
export { plainOf } from './wire/plain.ts';
export { fromWire, type Plain, toWire } from './wire/wire.ts';
export { WireError } from './wire/wire-error.ts';

/** The services of Argo CD's API by their protobuf name, such as `application.ApplicationService`. */
export const services = {
  account: AccountService,
  application: ApplicationService,
  applicationset: ApplicationSetService,
  certificate: CertificateService,
  cluster: ClusterService,
  gpgkey: GPGKeyService,
  notification: NotificationService,
  project: ProjectService,
  repocreds: RepoCredsService,
  repository: RepositoryService,
  session: SessionService,
  settings: SettingsService,
  version: VersionService,
} as const;

/** What is spoken with config-management plugins, over unix sockets. */
export const pluginServices = {
  plugin: ConfigManagementPluginService,
  askpass: AskPassService,
} as const;

/** All messages and services, for lookups by name. */
export function messageRegistry(): Registry {
  return createRegistry(...Object.values<DescService>(services).map((service) => service.file));
}
