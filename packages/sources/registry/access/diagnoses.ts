import { defineDiagnosis } from '@tiphys/diagnosis';

export const registryUnreachable = defineDiagnosis(
  'RegistryUnreachable',
  'A Helm repository or an OCI registry can not be reached: name, connection, or no answer in time.',
  'R8',
);
export const registryCertificateInvalid = defineDiagnosis(
  'RegistryCertificateInvalid',
  'The TLS certificate of a Helm repository or an OCI registry is not accepted.',
  'R4',
);
export const registryAnswerRefused = defineDiagnosis(
  'RegistryAnswerRefused',
  'A Helm repository or an OCI registry answered with an error, or with what it must not answer.',
);
export const registryCredentialRefused = defineDiagnosis(
  'RegistryCredentialRefused',
  'A Helm repository or an OCI registry wants credentials, or refuses those that were given.',
  'R12',
);
export const registryRateLimited = defineDiagnosis(
  'RegistryRateLimited',
  'A Helm repository or an OCI registry limits the rate of our requests.',
  'R6',
);
export const registryAnswerTooLarge = defineDiagnosis(
  'RegistryAnswerTooLarge',
  'An index, a manifest or a package is larger than is allowed.',
  'M15',
);
export const registryAddressUnsafe = defineDiagnosis(
  'RegistryAddressUnsafe',
  'A registry names an address to which credentials must not be sent.',
  'R12',
);
export const repositoryIndexInvalid = defineDiagnosis(
  'ChartRepositoryIndexInvalid',
  'The index.yaml of a Helm repository can not be read.',
);
export const chartNotFound = defineDiagnosis(
  'ChartNotFound',
  'A Helm repository or an OCI registry does not have a chart of that name.',
  'R10',
);
export const chartVersionNotFound = defineDiagnosis(
  'ChartVersionNotFound',
  'No version of a chart is in the wanted range.',
  'R9',
);
export const chartAmbiguous = defineDiagnosis(
  'ChartVersionAmbiguous',
  'The index of a Helm repository has two different packages for one version of a chart.',
);
export const digestMismatch = defineDiagnosis(
  'ChartDigestMismatch',
  'What was downloaded is not what its digest says.',
);
export const referenceInvalid = defineDiagnosis(
  'OciReferenceInvalid',
  'The name of an OCI artifact, or its version, can not be used.',
);
export const credentialsFileInvalid = defineDiagnosis(
  'RegistryCredentialsFileInvalid',
  'The file with the credentials of OCI registries can not be read, or wants a program to be run.',
);
export const signatureRefused = defineDiagnosis(
  'ChartSignatureRefused',
  'The provenance of a chart is missing, or does not prove that a trusted key signed this package.',
  'R14',
);
export const proxyUnsupported = defineDiagnosis(
  'RegistryProxyUnsupported',
  'A Helm repository or a registry is to be reached through a proxy of a kind that is not supported.',
);
