/** Folders of a package that still import each other. The list may only become shorter: the check refuses a new knot, and one that is gone. */
export const knownKnots: readonly string[] = [
  'applications: . steps',
  'engine: . actions cache compare health sync',
  'kubernetes: . patch schema smd',
  'lua: run text',
  'template: . exec fmt functions parse recorder sprig trace value',
  'yaml: print read',
  'helm: . chart command dependency functions render schema values',
  'jsonnet: . std',
  'kustomize: . command config decode edit generate helm kustomization load localize patch plugin program replacement resource target transform tree',
  'source: . charts jsonnet kustomizations outcomes',
  'cli: . commands up',
  'server: . applications badge certificates clusters events http links projects rbac repositories resources rpc services session settings sso terminal',
  'registry: . archive http oci provenance repository',
];
