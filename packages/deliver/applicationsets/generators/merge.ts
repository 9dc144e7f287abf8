import { type Diagnosis, diagnose, failure } from '@tiphys/diagnosis';
import { generatorInvalid, mergeKeyAbsent } from '../diagnoses/diagnoses.ts';
import { mergeOver } from '../params/merge.ts';
import { type Element, newParams } from '../params/params.ts';
import type { Combination } from './combination.ts';
import type { Generated } from './generator.ts';

/**
 * The elements of the first generator, with what the others say of the same keys put over it.
 * Throws where elements of one generator have the same keys.
 */
export async function mergeElements({
  field,
  count,
  goTemplate,
  inner,
  mergeKeys,
}: Combination & { readonly mergeKeys: readonly string[] }): Promise<Generated> {
  if (count < 2)
    throw failure(generatorInvalid, {
      message: 'found less than two generators, Merge requires two or more',
      place: { field: `${field}.generators` },
      remedies: ['Add the generator whose parameters are put over those of the first'],
    });
  if (mergeKeys.length === 0)
    throw failure(generatorInvalid, {
      message: 'no merge keys were specified, Merge requires at least one',
      place: { field: `${field}.mergeKeys` },
      remedies: ['Name the parameters that tell which elements belong together'],
    });
  const gaps: Diagnosis[] = [];
  const notices: Diagnosis[] = [];
  const sets: Map<string, Element>[] = [];
  for (let index = 0; index < count; index++) {
    const generated = await inner(index);
    gaps.push(...generated.gaps);
    notices.push(
      ...(generated.notices ?? []),
      ...withoutKeys(generated.elements, mergeKeys, `${field}.generators[${index}]`),
    );
    sets.push(byKeys(generated.elements, mergeKeys, `${field}.generators[${index}]`));
  }
  const [base = new Map<string, Element>(), ...overrides] = sets;
  for (const override of overrides)
    for (const [key, over] of override) {
      const element = base.get(key);
      if (!element) continue;
      const params = goTemplate
        ? mergeOver(element.params, over.params)
        : newParams({ ...element.params, ...over.params });
      const parts = [...(element.origin.parts ?? [element.origin]), over.origin];
      base.set(key, { params, origin: { field, generator: 'merge', element: element.origin.element, parts } });
    }
  return { elements: [...base.values()], gaps, notices };
}

/** Keys that no element has: upstream takes all of them for the same nothing. */
function withoutKeys(elements: readonly Element[], mergeKeys: readonly string[], field: string): Diagnosis[] {
  const absent = mergeKeys.filter((key) => elements.every(({ params }) => params[key] === undefined));
  const [first] = elements;
  if (!first || absent.length === 0) return [];
  return [
    diagnose(mergeKeyAbsent, {
      message: `No element of ${field} has ${absent.join(', ')}, which mergeKeys names: it is merged with nothing that has a value there`,
      place: { field },
      evidence: { 'an element has': Object.keys(first.params).sort().slice(0, 20).join(', ') },
      remedies: ['Name a parameter in mergeKeys that the elements of every generator of the merge have'],
    }),
  ];
}

function byKeys(elements: readonly Element[], mergeKeys: readonly string[], field: string): Map<string, Element> {
  const keys = [...new Set(mergeKeys)].sort();
  const result = new Map<string, Element>();
  for (const element of elements) {
    const key = JSON.stringify(Object.fromEntries(keys.map((name) => [name, element.params[name] ?? null])));
    const other = result.get(key);
    if (other)
      throw failure(generatorInvalid, {
        message: `the parameters from a generator were not unique by the given mergeKeys, Merge requires all param sets to be unique. Duplicate key was ${key}`,
        place: { field },
        evidence: { first: other.origin.element, second: element.origin.element },
        remedies: ['Add a parameter to mergeKeys that tells these elements apart'],
      });
    result.set(key, element);
  }
  return result;
}
