import { type Diagnosis, failure } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { combine, mergeOver } from '../params/merge.ts';
import type { Element } from '../params/params.ts';
import type { Combination } from './combination.ts';
import type { Generated } from './generator.ts';

/** Every element of the first generator with every one of the second, which may speak of the first's parameters. */
export async function matrixElements({ field, count, goTemplate, inner }: Combination): Promise<Generated> {
  if (count !== 2)
    throw failure(generatorInvalid, {
      message: `found ${count < 2 ? 'less' : 'more'} than two generators, Matrix support only two`,
      place: { field: `${field}.generators` },
      evidence: { generators: count },
      remedies: ['Give the matrix two generators; one of them may be a matrix'],
    });
  const first = await inner(0);
  const elements: Element[] = [];
  const gaps: Diagnosis[] = [...first.gaps];
  for (const a of first.elements) {
    const second = await inner(1, a.params);
    gaps.push(...second.gaps);
    for (const b of second.elements)
      elements.push({
        params: goTemplate ? mergeOver(b.params, a.params) : combine(a.params, b.params),
        origin: {
          field,
          generator: 'matrix',
          element: `${a.origin.element} × ${b.origin.element}`,
          parts: [a.origin, b.origin],
        },
      });
  }
  return { elements, gaps };
}
