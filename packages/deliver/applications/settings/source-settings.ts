import { kustomizeVersions, type RenderRequest } from '@tiphys/source';

/** What `argocd-cm` says of how sources are rendered. */
export type SourceSettings = Required<
  Pick<RenderRequest, 'kustomizeBuildOptions' | 'kustomizeVersions' | 'valuesFileSchemes' | 'disabledTools'>
>;

const tools = ['helm', 'kustomize', 'jsonnet'] as const;

/** Upstream's keys and defaults: `kustomize.buildOptions`, `kustomize.path.VERSION`, `helm.valuesFileSchemes` (https, http), `helm.enable` and its like (true). */
export function sourceSettings(data: Readonly<Record<string, string>>): SourceSettings {
  const schemes = data['helm.valuesFileSchemes'];
  return {
    kustomizeBuildOptions: data['kustomize.buildOptions'] ?? '',
    kustomizeVersions: kustomizeVersions(data),
    // An empty text permits no scheme at all.
    valuesFileSchemes:
      schemes === undefined
        ? ['https', 'http']
        : schemes
            .split(',')
            .map((scheme) => scheme.trim().toLowerCase())
            .filter((scheme) => scheme !== ''),
    disabledTools: new Set(tools.filter((tool) => (data[`${tool}.enable`] || 'true') !== 'true')),
  };
}
