import type { ApplicationSetGenerator } from '@tiphys/api';
import { isRecord, newParams, type Params } from '../params/params.ts';
import { deepReplace } from '../template/deep-replace.ts';
import { isMissingKey, type Replace, replacer, type TemplateDialect } from '../template/replace.ts';
import { terminalKinds } from './generator.ts';

/**
 * A generator filled with the parameters of an outer one. Upstream rule: entries of `values` that speak of parameters which are not
 * there yet stay as they are, since the generator itself may give them.
 */
export function interpolate(
  generator: ApplicationSetGenerator,
  params: Readonly<Params>,
  dialect: TemplateDialect,
): ApplicationSetGenerator {
  if (Object.keys(params).length === 0) return generator;
  const replace = replacer(dialect, params);
  const options = dialect.options.filter((option) => !option.startsWith('missingkey='));
  const strict = replacer({ ...dialect, options: [...options, 'missingkey=error'] }, params);
  const filled = newParams();
  for (const [kind, spec] of Object.entries(generator)) {
    const hasValues = (terminalKinds as readonly string[]).includes(kind) && isRecord(spec) && isRecord(spec.values);
    if (!hasValues) filled[kind] = deepReplace(spec, replace);
    else {
      const { values, ...rest } = spec;
      filled[kind] = { ...deepReplace(rest, replace), values: fillKnown(values as Record<string, string>, strict) };
    }
  }
  return filled as ApplicationSetGenerator;
}

function fillKnown(values: Readonly<Record<string, string>>, replace: Replace): Record<string, string> {
  const filled = newParams();
  for (const [key, value] of Object.entries(values)) {
    try {
      filled[key] = replace(value);
    } catch (error) {
      if (!isMissingKey(error)) throw error;
      filled[key] = value;
    }
  }
  return filled as Record<string, string>;
}
