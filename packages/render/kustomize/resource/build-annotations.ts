const domain = 'internal.config.kubernetes.io';

/** Annotations that carry facts of a build between its steps; Kustomize's own names, as patches can see them. */
export const buildAnnotation = {
  previousKinds: `${domain}/previousKinds`,
  previousNames: `${domain}/previousNames`,
  previousNamespaces: `${domain}/previousNamespaces`,
  prefixes: `${domain}/prefixes`,
  suffixes: `${domain}/suffixes`,
  referredBy: `${domain}/refBy`,
  behaviour: `${domain}/generatorBehavior`,
  hashSuffix: `${domain}/needsHashSuffix`,
  allowNameChange: `${domain}/allowNameChange`,
  allowKindChange: `${domain}/allowKindChange`,
  helmGenerated: `${domain}/helm-generated`,
} as const;

export const originAnnotation = 'config.kubernetes.io/origin';
export const transformationsAnnotation = 'alpha.config.kubernetes.io/transformations';
export const localConfigAnnotation = 'config.kubernetes.io/local-config';

/** All that is taken away before the output. */
export const removedAnnotations: ReadonlySet<string> = new Set([
  ...Object.values(buildAnnotation),
  `${domain}/path`,
  `${domain}/index`,
  `${domain}/seqindent`,
  `${domain}/id`,
  `${domain}/annotations-migration-resource-id`,
  'config.kubernetes.io/path',
  'config.kubernetes.io/index',
  'config.k8s.io/id',
]);
