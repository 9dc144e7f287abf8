/** A flat map of texts as YAML, which JSON is. */
export function stringifyYaml(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`)
    .join('');
}
