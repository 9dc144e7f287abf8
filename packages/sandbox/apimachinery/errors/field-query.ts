import { badRequest, StatusError } from './status.ts';

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly negative: boolean;
  readonly value: string;
}

/** Parses a `fieldSelector` of a query (`a=b,c!=d`, with `\\,` `\\=` `\\\\` for these characters in values). Throws BadRequest with the API server's words. */
export function fieldQuery(text: string): FieldTerm[] {
  return [...text.matchAll(/((?:\\.|[^\\,]|\\$)*)(?:,|$)/gs)]
    .map(([, term = '']) => term)
    .filter((term) => term !== '')
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field, operator, value] = match as unknown as [string, string, string, string];
      return { field, negative: operator === '!=', value: unescaped(value) };
    });
}

function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (found, escaped: string | undefined) => {
    if (escaped === undefined)
      throw badRequest(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    if (escaped !== '\\' && escaped !== ',' && escaped !== '=')
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    return escaped;
  });
}

/** The value that the terms demand of a field, if they demand one. */
export function demandedValue(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.field === field && !term.negative)?.value;
}

/** The name that the terms demand, if it can be one: asking for it counts as access to that name. */
export function nameDemanded(terms: readonly FieldTerm[]): string | undefined {
  const name = demandedValue(terms, 'metadata.name');
  return name && !/^\.\.?$|[/%]/.test(name) ? name : undefined;
}

/** The terms of a field selector; none of one that can't be read, which is refused later. */
export function fieldTermsIn(text: string | null | undefined): FieldTerm[] {
  try {
    return fieldQuery(text ?? '');
  } catch (error) {
    if (error instanceof StatusError) return [];
    throw error;
  }
}
