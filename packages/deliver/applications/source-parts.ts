import type { Client } from '@tiphys/kubernetes';
import { Manifests } from '@tiphys/source';
import { secretText } from './clusters/cluster-secret.ts';
import type { ControlPlaneInformers } from './control-plane-informers.ts';
import type { ApplicationsOptions } from './options.ts';
import { ProjectDirectory } from './projects/project-directory.ts';
import { RepositoryDirectory } from './repositories/repository-directory.ts';
import { commaList } from './settings/comma-list.ts';
import type { ApplicationSettings } from './settings/settings.ts';
import { sourceSettings } from './settings/source-settings.ts';
import { GeneratedValues } from './sources/generated-values.ts';
import { serverSecret, sharedCacheAway } from './sources/shared-cache.ts';
import { SourceAccess } from './sources/source-access.ts';
import { SourceIntegrity } from './sources/source-integrity.ts';
import { SourceRenderer } from './sources/source-renderer.ts';
import { TrustStore } from './sources/trust-store.ts';
import { trustedKeys } from './sources/trusted-keys.ts';

interface Parts {
  readonly options: ApplicationsOptions;
  /** Reads the control plane's namespace. */
  readonly own: Client;
  readonly informers: ControlPlaneInformers;
  readonly settings: () => ApplicationSettings;
}

/** The way from an Application's sources to manifests: who may read what, with which credentials, rendered by whom. */
export function sourceParts({ options, own, informers, settings }: Parts) {
  const { client, namespace, git, clock, onError } = options;
  const { projects, configMaps, clusterSecrets } = informers;
  const repositories = new RepositoryDirectory(informers.repositorySecrets, informers.templateSecrets);
  options.onRepositories?.(() => repositories.registeredHosts());
  const directory = new ProjectDirectory({
    find: (name) => projects.get(namespace, name),
    globalProjects: () => settings().data.globalProjects,
    repositories: (project) => repositories.scopedTo(project),
    clusters: (project) =>
      [...clusterSecrets.list()]
        .filter((secret) => secretText(secret, 'project') === project)
        .map((secret) => ({
          server: secretText(secret, 'server').replace(/(?<!\/)\/+$/, ''),
          name: secretText(secret, 'name'),
          namespaces: commaList(secretText(secret, 'namespaces')),
        })),
  });
  const generated = new GeneratedValues({
    client: client.as({ component: 'controller', purpose: 'generated values' }),
    secrets: informers.generatedSecrets,
    namespace,
  });
  const manifests = new Manifests({
    git,
    clock,
    ...(options.cacheDir === undefined ? {} : { cacheDir: options.cacheDir }),
    ...options.plugins,
    shares: () => settings().renderShares,
    ...(options.redis ? { shared: { ...options.redis, secret: () => serverSecret(own, namespace) } } : {}),
    onProblem: (problem) => problem && onError('shared cache', sharedCacheAway(problem)),
    ...(options.onRender ? { onRender: options.onRender } : {}),
  });
  options.onLoad?.(() => manifests.load());
  const accessBy = (secrets: RepositoryDirectory) =>
    new SourceAccess({
      repositories: secrets,
      trust: new TrustStore(configMaps, namespace, options.trustFolders),
      project: (name) => directory.get(name),
      parameters: () => settings().parameters,
      ...(options.gitModulesEnabled ? { gitModulesEnabled: options.gitModulesEnabled } : {}),
    });
  const access = accessBy(repositories);
  const renderer = new SourceRenderer({
    manifests,
    access,
    generated,
    project: (name) => directory.get(name),
    settings: () => sourceSettings(settings().data),
    parameters: () => settings().parameters,
    controlNamespace: namespace,
  });
  const integrity = new SourceIntegrity({
    git,
    access,
    manifests,
    enabled: options.verifiesSignatures ?? true,
    keys: () => trustedKeys(configMaps, namespace),
  });
  const writeAccess = accessBy(new RepositoryDirectory(informers.writeSecrets, informers.writeTemplates));
  return { repositories, directory, generated, manifests, access, writeAccess, renderer, integrity };
}
