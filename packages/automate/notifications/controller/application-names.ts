import { matchListed } from '@tiphys/glob';

export const apiVersion = 'argoproj.io/v1alpha1';

/** Whether a namespace is one of the list of globs and `/expressions/`. */
export function matchesNamespace(list: readonly string[], namespace: string): boolean {
  return matchListed(list, namespace);
}
