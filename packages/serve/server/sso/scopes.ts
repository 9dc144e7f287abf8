import { parseYaml } from '@tiphys/yaml';

/** The claims whose values are groups: `scopes` of argocd-rbac-cm, a YAML list; `groups` if it is not set. */
export function scopesOf(text: string | undefined): readonly string[] {
  if (!text?.trim()) return ['groups'];
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch {
    // nobody gets more than groups by a list that cannot be read
    return ['groups'];
  }
  const list = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  return list.length > 0 ? list : ['groups'];
}

/** Values of the claims, each a text or a list of texts. */
export function claimValues(claims: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  return names.flatMap((name) => [claims[name]].flat().filter((value): value is string => typeof value === 'string'));
}
