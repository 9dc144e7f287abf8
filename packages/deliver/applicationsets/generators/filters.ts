import { failure } from '@tiphys/diagnosis';
import { RE2JS, RE2JSException } from 're2js';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';

/** A regular expression as a test that finds it anywhere in a text; undefined without one. Linear, as Go's. */
export function compilePattern(
  source: string | undefined,
  name: string,
  field: string,
): ((text: string) => boolean) | undefined {
  if (source === undefined || source === null) return undefined;
  try {
    const pattern = RE2JS.compile(source);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw failure(generatorInvalid, {
      message: `error compiling ${name} regexp "${source}": ${error.message}`,
      place: { field },
      remedies: ['Correct the regular expression (RE2: no look-around, no back-references)'],
    });
  }
}
