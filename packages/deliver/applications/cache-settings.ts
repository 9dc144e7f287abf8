import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { CacheSettings } from '@tiphys/engine';
import { parseDocuments } from '@tiphys/yaml';
import { commaList } from './comma-list.ts';
import type { ApplicationSettings } from './settings.ts';

const settingInvalid = defineDiagnosis('SettingInvalid', 'A key of argocd-cm holds something that cannot be used');

/** What the cache of a cluster watches and shows: `resource.exclusions`, `resource.inclusions`, `resource.customLabels` and tracking of argocd-cm. */
function cacheSettings(settings: ApplicationSettings): CacheSettings {
  const exclusions = filters(settings, 'resource.exclusions');
  const inclusions = filters(settings, 'resource.inclusions');
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

/** The same for whoever asks often: read anew only when the settings are others. */
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

function filters(settings: ApplicationSettings, key: string): NonNullable<CacheSettings['exclusions']> | undefined {
  const text = settings.data[key];
  if (!text?.trim()) return undefined;
  const [document] = parseDocuments(text, { file: `argocd-cm ${key}` }).documents;
  const value = document?.value;
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value as NonNullable<CacheSettings['exclusions']>;
  throw failure(settingInvalid, {
    message: `${key} is not a list`,
    place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
    remedies: [
      {
        text: 'Write a list of filters',
        paste: '- apiGroups: ["cilium.io"]\n  kinds: ["CiliumIdentity"]\n  clusters: ["*"]',
      },
    ],
  });
}
