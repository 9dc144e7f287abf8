import type { CacheSettings } from '@tiphys/engine';
import { commaList } from './comma-list.ts';
import type { ApplicationSettings } from './settings.ts';

/** What the cache of a cluster watches and shows: `resource.exclusions`, `resource.inclusions`, `resource.customLabels` and tracking of argocd-cm. */
function cacheSettings(settings: ApplicationSettings): CacheSettings {
  const { exclusions, inclusions } = settings.resourceFilters;
  const customLabels = commaList(settings.data['resource.customLabels']);
  return {
    ...(customLabels.length > 0 ? { customLabels } : {}),
    ...(exclusions ? { exclusions } : {}),
    ...(inclusions ? { inclusions } : {}),
    tracking: {
      method: settings.trackingMethod,
      labelKey: settings.instanceLabelKey,
      ...(settings.installationId ? { installationId: settings.installationId } : {}),
    },
  };
}

/** The same for anyone who asks often: read anew only when the settings are others. */
export function cacheSettingsReader(settings: () => ApplicationSettings): () => { value: CacheSettings; id: string } {
  let last: { of: ApplicationSettings; value: CacheSettings; id: string } | undefined;
  return () => {
    const of = settings();
    if (last?.of !== of) {
      const value = cacheSettings(of);
      last = { of, value, id: JSON.stringify(value) };
    }
    return last;
  };
}
