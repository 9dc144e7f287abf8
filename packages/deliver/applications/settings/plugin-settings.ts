import { type Application, names } from '@tiphys/api';
import type { RenderRequest } from '@tiphys/source';

type PluginRequest = NonNullable<RenderRequest['plugins']>;

/** What `argocd-cmd-params-cm` says of how config-management plugins are asked for an application, by upstream's keys and defaults. */
export function pluginRequest(parameters: Readonly<Record<string, string>>, application: Application): PluginRequest {
  const seconds = Number(parameters['controller.repo.server.timeout.seconds'] || 60);
  const limited = parameters['reposerver.plugin.use.manifest.generate.paths'] === 'true';
  const generatePaths = limited ? application.metadata.annotations?.[names.annotations.manifestGeneratePaths] : '';
  return {
    timeout: (Number.isFinite(seconds) && seconds > 0 ? seconds : 60) * 1000,
    tarExclusions: (parameters['reposerver.plugin.tar.exclusions'] ?? '').split(';').filter((item) => item !== ''),
    ...(generatePaths ? { generatePaths } : {}),
  };
}
