import { normalizeRepositoryUrl } from '@tiphys/git';

/** Whether two URLs name the same repository. */
export function sameRepository(a: string, b: string): boolean {
  return normalizeRepositoryUrl(a) === normalizeRepositoryUrl(b);
}
