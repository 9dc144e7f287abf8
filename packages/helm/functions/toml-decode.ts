import type { Value, ValueMap } from '@tiphys/template';
import { TomlError as ParseError, parse, TomlDate } from 'smol-toml';

/** A text that is not TOML. The words are the library's, after Helm's `toml: ` prefix. */
export class TomlError extends Error {}

/** A TOML document as template values: integers are int64, dates their text. */
export function decodeToml(text: string): ValueMap {
  try {
    return convert(parse(text, { integersAsBigInt: true })) as ValueMap;
  } catch (error) {
    if (error instanceof ParseError)
      throw new TomlError(
        `toml: line ${error.line}: ${error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '')}`,
      );
    throw error;
  }
}

function convert(value: unknown): Value {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, item]) => [key, convert(item)]));
  }
  return value as Value;
}
