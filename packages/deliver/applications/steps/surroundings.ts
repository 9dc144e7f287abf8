import type { Diagnosis } from '@tiphys/diagnosis';
import { retryAfterEvidence } from '@tiphys/kubernetes';

/**
 * Failures that no commit can mend: of the API server, its webhooks and quotas, of hosts of sources, of rights, of settings. They
 * use up no retries of a commit: the sync is tried for as long as they last, and goes on by itself.
 */
export const surroundings: ReadonlySet<string> = new Set([
  // the cluster
  'WebhookCertificate',
  'WebhookUnavailable',
  'AccessDenied',
  'QuotaExceeded',
  'NamespaceTerminating',
  'ClusterBusy',
  'ClusterError',
  'ApiGroupUnavailable',
  'ObjectChanged',
  'ClusterNameUnresolved',
  'ClusterConnectionRefused',
  'ClusterProxyFailed',
  'ClusterCredentialUnreadable',
  'ClusterUnreachable',
  'ClusterTimeout',
  'ClusterCertificateUntrusted',
  'ClusterCertificateExpired',
  'ClusterCertificateNotYetValid',
  'ClusterCertificateName',
  'ClusterTlsFailed',
  'ClusterUnauthorized',
  'ClusterUnattended',
  'ClusterNotFound',
  'ClusterSecretInvalid',
  'KubeconfigInvalid',
  'CredentialPluginFailed',
  'ExecProviderRefused',
  // a kind comes with another application, or with the server behind it
  'SyncKindMissing',
  'SyncApiGroupUnavailable',
  'KindNotServed',
  // hosts of sources
  'RepositoryCredentialRefused',
  'RepositoryNotFound',
  'RepositoryCertificateInvalid',
  'RepositoryRateLimited',
  'RepositoryUnreachable',
  'RepositoryFailed',
  'RepositoryRedirected',
  'SshHostKeyUnknown',
  'SshHostKeyChanged',
  'ProxyUnreachable',
  'ProxyRefused',
  'ClockSkew',
  'GitTimeout',
  'GitHubAppTokenRefused',
  'AccessTokenRefused',
  'MirrorCorrupt',
  'RegistryCredentialRefused',
  'RegistryCertificateInvalid',
  'RegistryRateLimited',
  'RegistryUnreachable',
  'RegistryAnswerRefused',
  'RegistryAddressUnsafe',
  'RegistryCredentialsFileInvalid',
  'RegistryProxyUnsupported',
  'InvalidRepositoryCredentials',
  'CredentialTemplatesAmbiguous',
  'AddressRefused',
  'GitProgramMissing',
  'LargeFileMissing',
  // plugins, settings, rights of the project
  'PluginNotFound',
  'PluginTimeout',
  'SettingInvalid',
  'CustomizationInvalid',
  'GlobalProjectsInvalid',
  'GeneratedValuesContended',
  'ProjectNotFound',
  'NotPermitted',
  'ObjectNotPermitted',
  'ServiceAccountMissing',
  'ServiceAccountInvalid',
  'DestinationInvalid',
]);

/** What is wrong in the settings of the control plane, which are named without a namespace. */
const inSettings = ({ place }: Diagnosis) => /^ConfigMap argocd-[\w-]+$/.test(place?.object ?? '');

/** Whether every one of them is a failure of the surroundings; false for none. */
export function isOfSurroundings(diagnoses: readonly Diagnosis[]): boolean {
  return diagnoses.length > 0 && diagnoses.every((each) => surroundings.has(each.code) || inSettings(each));
}

const shortest = 5_000;
const longest = 30_000;

/**
 * Milliseconds until a sync that the surroundings keep from its end is tried again: from five seconds to half a minute, longer
 * the longer it lasts, and another time for each application so that a mended webhook does not meet all at once.
 */
export function surroundingsDelay(key: string, { started, now }: { started: number; now: number }): number {
  const wanted = Math.min(Math.max(shortest, (now - started) / 4), longest);
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return Math.round(wanted * (0.75 + (hash % 1000) / 2000));
}

/** A server may ask for so long at most, in milliseconds: more is an error of its own. */
const longestAsked = 600_000;

/** Milliseconds that servers asked to be left alone for (Retry-After), the longest of them; 0 if none did. */
export function askedDelay(diagnoses: readonly Diagnosis[]): number {
  const asked = diagnoses.flatMap(({ evidence }) =>
    evidence
      .filter(({ name }) => name === retryAfterEvidence)
      .map(({ value }) => Number.parseFloat(value) * 1000)
      .filter((delay) => delay > 0),
  );
  return Math.min(Math.max(0, ...asked), longestAsked);
}
