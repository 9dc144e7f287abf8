import type { ApplicationSource } from '@tiphys/api';

type SourcePlugin = NonNullable<ApplicationSource['plugin']>;

/**
 * What a plugin finds in its environment for one source, by Argo CD's names: `base` as it is, the entries of
 * `spec.source.plugin.env` with `ARGOCD_ENV_` before their names, and the parameters as `ARGOCD_APP_PARAMETERS` and `PARAM_*`.
 * `expand` puts build variables into values.
 */
export function pluginEnvironment(
  base: Readonly<Record<string, string>>,
  plugin: SourcePlugin | undefined,
  expand: (text: string) => string,
): Record<string, string> {
  const environment: Record<string, string> = { ...base };
  if (!plugin) return environment;
  for (const { name, value } of plugin.env ?? []) environment[`ARGOCD_ENV_${name}`] = expand(value ?? '');
  const parameters = plugin.parameters ?? [];
  environment['ARGOCD_APP_PARAMETERS'] = plugin.parameters ? JSON.stringify(parameters) : 'null';
  for (const { name = '', string, map, array } of parameters) {
    const base = `PARAM_${variableName(name)}`;
    if (string !== undefined && string !== null) environment[base] = string;
    for (const [key, value] of Object.entries(map ?? {})) environment[`${base}_${variableName(key)}`] = value;
    for (const [index, value] of (array ?? []).entries()) environment[`${base}_${index}`] = value;
  }
  return environment;
}

function variableName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}
