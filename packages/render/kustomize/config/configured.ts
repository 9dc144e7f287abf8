import { type Printable, printYaml } from '@tiphys/yaml';
import { goMessageOf, wrapped } from '../failure/go-error.ts';

/**
 * Makes a built-in transformer from a configuration; what fails names both, as in Kustomize. `make` gets the text of the
 * configuration. Fields that are not set, empty or false are left out of it.
 */
export async function configured<T>(
  name: string,
  config: Readonly<Record<string, unknown>>,
  make: (text: string) => Promise<T>,
): Promise<T> {
  const text = printYaml(withoutEmpty(config) ?? {});
  try {
    return await make(text);
  } catch (error) {
    const failed = wrapped(error, `trouble configuring builtin ${name} with config: \`\n${text}\``);
    failed.bare = goMessageOf(error);
    throw failed;
  }
}

function withoutEmpty(value: unknown): Printable | undefined {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? item);
  if (typeof value !== 'object') return value as Printable;
  const entries: [string, unknown][] =
    value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return new Map(
    entries.flatMap(([key, item]) => {
      const kept = withoutEmpty(item);
      return kept === undefined ? [] : [[key, kept] as [string, Printable]];
    }),
  );
}
