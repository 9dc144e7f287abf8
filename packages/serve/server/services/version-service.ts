import type { services } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';

/** The release of Argo CD whose API this is; clients compare it with their own. */
const argoVersion = 'v3.5.1';

/** Anonymous callers learn the version alone, as Argo CD tells them. */
export function versionService({ version }: ServerContext): ServiceHandlers<typeof services.version> {
  return {
    async version(_request, { identity }) {
      const name = `${argoVersion}+tiphys.${version}`;
      if (!identity) return { Version: name };
      return {
        Version: name,
        BuildDate: '',
        GitTreeState: '',
        GoVersion: '',
        Compiler: 'node',
        Platform: `${process.platform}/${process.arch}`,
        // what the built-in renderers are equal to
        KustomizeVersion: 'v5.8.1',
        HelmVersion: 'v4.3',
        KubectlVersion: '',
        JsonnetVersion: 'v0.22.0',
        ExtraBuildInfo: `Tiphys ${version}, Node ${process.version}`,
      };
    },
  };
}
