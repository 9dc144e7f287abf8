import { defineDiagnosis } from '@tiphys/diagnosis';

export const extensionInvalid = defineDiagnosis(
  'ProxyExtensionInvalid',
  'A proxy extension of argocd-cm cannot be used as it is written; the others go on',
  'P3',
);
