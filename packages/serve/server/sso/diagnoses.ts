import { defineDiagnosis } from '@tiphys/diagnosis';

export const ssoSettingsInvalid = defineDiagnosis(
  'SingleSignOnSettingsInvalid',
  'oidc.config or dex.config of argocd-cm cannot be used as it is written',
  'P3',
);
export const providerUnreachable = defineDiagnosis(
  'IdentityProviderUnreachable',
  'The identity provider does not answer, or not as one does',
  'P3',
);
export const providerRefused = defineDiagnosis(
  'IdentityProviderRefused',
  'The identity provider refused what was asked of it',
  'P3',
);
