import { goQuote } from '@tiphys/go';
import { compareStrings, type Value } from '@tiphys/template';
import { kindOf, numberText } from './json.ts';

/** One finding of a schema about a value, with the findings that led to it. */
export interface SchemaError {
  /** Names of properties and indexes that lead to the value. */
  readonly path: readonly string[];
  /** Empty for the root, whose line is not printed. */
  readonly words: string;
  /** A group only holds several findings; a reference is not printed around a single one. */
  readonly role: 'finding' | 'group' | 'reference';
  readonly causes: readonly SchemaError[];
}

/** Go's order among findings is that of its maps, which is random: here they come by place, then words. */
export function sortErrors(errors: SchemaError[]): SchemaError[] {
  const key = ({ path, words }: SchemaError): string => `${path.join('\0')}\0\0${words}`;
  return errors.sort((a, b) => compareStrings(key(a), key(b)));
}

/** The lines that Helm's library prints below its headline. */
export function formatErrors(errors: readonly SchemaError[], indent = 0): string {
  return errors
    .map((error) => {
      const isHidden = error.role === 'reference' && error.causes.length === 1;
      if (isHidden) return formatErrors(error.causes, indent);
      const line = `${'  '.repeat(indent)}- at ${quote(pointer(error.path))}: ${error.words}`;
      return error.causes.length > 0 ? `${line}\n${formatErrors(error.causes, indent + 1)}` : line;
    })
    .join('\n');
}

/** The findings at the ends of the tree: what to mend. */
export function leavesOf(errors: readonly SchemaError[]): SchemaError[] {
  return errors.flatMap((error) => (error.causes.length > 0 ? leavesOf(error.causes) : [error]));
}

export function pointer(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function quote(text: string): string {
  return `'${goQuote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export function quoteAll(texts: readonly string[]): string {
  return texts.map(quote).join(', ');
}

/** A value as an error shows it. */
export function show(value: Value): string {
  switch (kindOf(value)) {
    case 'string':
      return quote(value as string);
    case 'array':
    case 'object':
      return 'value';
    case 'number':
      return numberText(value);
    case 'null':
      return '<nil>';
    default:
      return String(value);
  }
}

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** An integer with English separators: `1,234`. */
export function showCount(value: number | bigint): string {
  return String(value).replace(/\B(?=([0-9]{3})+$)/g, ',');
}

/** A number as Go's `x/text` prints a float64 in English: `1,234.5`, `1.5×10⁰⁶`. */
export function showNumber(text: string): string {
  const value = Number(text) + 0;
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (value !== 0 && (exponent < -4 || exponent >= 6)) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    const raised = [...digits].map((digit) => superscript[Number(digit)]).join('');
    return `${mantissa}×10${exponent < 0 ? '⁻' : ''}${raised}`;
  }
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=([0-9]{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
