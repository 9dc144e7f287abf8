import { DiagnosisError, diagnose } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { goText } from './flatten.ts';
import { isRecord, newParams, type Params } from './params.ts';

/** `base` with what `over` has put over it; maps are merged at every depth, anything else is replaced. */
export function mergeOver(base: Readonly<Params>, over: Readonly<Params>): Params {
  const result = newParams(base);
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isRecord(before) && isRecord(value) ? mergeOver(before, value) : value;
  }
  return result;
}

/**
 * Two flat sets of parameters as one.
 * Throws for a name that both have with different values: the rule of matrices without Go templates.
 */
export function combine(a: Readonly<Params>, b: Readonly<Params>): Params {
  const result = newParams();
  for (const [key, value] of Object.entries(a)) result[key] = goText(value);
  for (const [key, value] of Object.entries(b)) {
    const text = goText(value);
    if (Object.hasOwn(result, key) && result[key] !== text)
      throw new DiagnosisError(
        diagnose(generatorInvalid, {
          message: `found duplicate key ${key} with different value, a: ${String(result[key])} ,b: ${text}`,
          remedies: [
            'Rename the parameter in one of the generators; for two Git generators set pathParamPrefix',
            'Or use Go templates (spec.goTemplate: true), where the first generator wins',
          ],
        }),
      );
    result[key] = text;
  }
  return result;
}

/**
 * `override` with its empty fields filled from `base`, at every depth: how the template of a generator is laid over the one of
 * the set. Empty are absent, null, "", 0, false and lists and maps without members.
 */
export function fillEmpty<T>(override: T, base: T): T {
  if (isRecord(override) && isRecord(base)) {
    const result: Record<string, unknown> = { ...override };
    for (const [key, value] of Object.entries(base)) {
      const own = result[key];
      result[key] = isRecord(own) && isRecord(value) ? fillEmpty(own, value) : isEmpty(own) ? value : own;
    }
    return result as T;
  }
  return isEmpty(override) ? base : override;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
