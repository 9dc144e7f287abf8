import { goJsonError } from '@tiphys/yaml';
import { GoError } from '../failure/go-error.ts';

/** Throws GoError in the words of encoding/json for a text that is no JSON. */
export function checkJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new GoError(goJsonError(text, error as SyntaxError), { cause: error });
  }
}
