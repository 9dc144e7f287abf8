import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { placeAt, type Schema, schemaAt } from '../../objects/schema.ts';

/** Fields that a schema has where somebody writes, or the values of the field. */
export function completionsOf(root: Schema, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const { path, field, written } = placeAt(state.doc.toString(), pos);
  if (/\s/.test(written) || (written === '' && !explicit)) return null;
  const schema = schemaAt(root, path);
  if (!schema) return null;
  const options = field === undefined ? fieldOptions(schema) : valueOptions(schemaAt(schema, [field]));
  return options.length === 0 ? null : { from: pos - written.length, options, validFor: /^[\w.-]*$/ };
}

function fieldOptions({ properties = {}, required = [] }: Schema): Completion[] {
  return Object.entries(properties).map(([name, { type = '', description = '' }]) => ({
    label: name,
    type: 'property',
    detail: type,
    apply: type === 'object' || type === 'array' ? `${name}:` : `${name}: `,
    boost: required.includes(name) ? 1 : 0,
    ...(description ? { info: description } : {}),
  }));
}

function valueOptions(schema: Schema | undefined): Completion[] {
  const values = schema?.enum ?? (schema?.type === 'boolean' ? [true, false] : []);
  return values.map((value) => ({ label: String(value), type: 'constant' }));
}
