import { names } from '@tiphys/api';
import type { InformerChange, KubeObject } from '@tiphys/kubernetes';

/** ConfigMaps of the control plane that say how applications are rendered, compared or delivered. */
const concerning: ReadonlySet<string> = new Set([
  names.configMaps.settings,
  names.configMaps.parameters,
  names.configMaps.tlsCertificates,
  names.configMaps.knownHosts,
  names.configMaps.gpgKeys,
  names.configMaps.sshSigningKeys,
]);

/** Keys of them that only the API, the web page and other controllers read. A key that is not listed counts. */
const elsewhere =
  /^(accounts|admin|dex|dexserver|exec|ga|help|notificationscontroller|oidc|applicationsetcontroller|server|statusbadge|ui|users|webhook)\.|^(additionalUrls|passwordPattern|url)$|^resource\.customizations\.actions\./;

/** Whether a changed ConfigMap can change anything of an application, so that all of them have to be looked at. */
export function concernsApplications({ type, object, old }: InformerChange<KubeObject>): boolean {
  if (!concerning.has(object.metadata.name ?? '')) return false;
  const before = type === 'updated' ? dataOf(old) : {};
  const after = dataOf(object);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
    (key) => before[key] !== after[key] && !elsewhere.test(key),
  );
}

function dataOf(configMap: KubeObject | undefined): Record<string, string> {
  return (configMap?.data ?? {}) as Record<string, string>;
}
