import type { RenderRequest } from './rendered.ts';

/** The variables that Argo CD offers to sources. */
export function buildEnvironment(request: RenderRequest, revision: string): Record<string, string> {
  const { application, source } = request;
  return {
    ARGOCD_APP_NAME: application.name,
    ARGOCD_APP_NAMESPACE: request.destinationNamespace,
    ARGOCD_APP_PROJECT_NAME: application.project,
    ARGOCD_APP_REVISION: revision,
    ARGOCD_APP_REVISION_SHORT: revision.slice(0, 7),
    ARGOCD_APP_REVISION_SHORT_8: revision.slice(0, 8),
    ARGOCD_APP_SOURCE_REPO_URL: source.repoURL,
    ARGOCD_APP_SOURCE_PATH: source.path ?? '',
    ARGOCD_APP_SOURCE_TARGET_REVISION: source.targetRevision ?? '',
  };
}

const reference = /\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*|[*#$@!?0-9-])|)/g;

/**
 * Replaces `$NAME` and `${NAME}`; `$$` is a dollar sign, an unknown name is nothing, as Go's os.Expand does it.
 * `used` is told each name that was replaced.
 */
export function substitute(
  text: string,
  environment: Readonly<Record<string, string>>,
  used?: (name: string) => void,
): string {
  return text.replace(reference, (whole, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare;
    if (name === undefined) return whole;
    if (name === '$') return '$';
    used?.(name);
    return environment[name] ?? '';
  });
}
