import { newParams, type Params } from '../params/params.ts';
import { replacer, type TemplateDialect } from '../template/replace.ts';

/**
 * Adds the `values` of a generator, filled with the parameters: below `values` with Go templates, as `values.NAME` without.
 * Upstream rule: values do not see one another.
 */
export function addValues(
  params: Params,
  values: Readonly<Record<string, string>> | undefined,
  dialect: TemplateDialect,
): Params {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return params;
  const replace = replacer(dialect, params);
  const filled = newParams();
  for (const [key, value] of entries) filled[dialect.goTemplate ? key : `values.${key}`] = replace(value);
  return newParams({ ...params, ...(dialect.goTemplate ? { values: filled } : filled) });
}
