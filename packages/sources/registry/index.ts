export { type Access, accessKey, describeAccess } from './access/access.ts';
export { ArchiveCache, sha256 } from './access/archive-cache.ts';
export { signatureRefused } from './access/diagnoses.ts';
export { imageCredentials, registryCredentials } from './access/docker-config.ts';
export { RegistryError } from './access/registry-error.ts';
export { type LayerEntry, readLayer } from './archive/read-layer.ts';
export { type ArchiveEntry, writeArchive, writeTar } from './archive/write-archive.ts';
export { type HttpAnswer, HttpClient, type HttpClientOptions } from './http/http-client.ts';
export { hostOf } from './http/http-failure.ts';
export { withoutSecrets } from './http/without-secrets.ts';
export { type ImageCommand, imageCommand, parseImageReference } from './oci/image-command.ts';
export { matchingVersion, nearVersions, OciCharts, type PulledChart, type PullOptions } from './oci/oci-charts.ts';
export { formatOciReference, type OciReference, parseOciReference } from './oci/oci-reference.ts';
export { type Descriptor, OciRegistry, type OciRepository } from './oci/oci-registry.ts';
export { type CosignQuestion, verifyCosign } from './provenance/verify-cosign.ts';
export { type SignedPackage, type Verification, verifyProvenance } from './provenance/verify-provenance.ts';
export { type Selection, selectVersion } from './repository/chart-selection.ts';
export {
  HelmRepositories,
  type HelmRepositoriesOptions,
  type HelmRepository,
  indexInvalid,
  resolveReference,
} from './repository/helm-repositories.ts';
export {
  type ChartVersion,
  indexFault,
  type RepositoryIndex,
  readIndex,
  type SkippedEntry,
} from './repository/repository-index.ts';
