import { badRequest } from './status.ts';

/** Tells whether labels, or fields, match. */
export type Matches = (values: Readonly<Record<string, string>>) => boolean;

const everything: Matches = () => true;

/** Parses a label selector with equality and set terms; throws BadRequest with the API server's words. */
export function labelSelector(text: string | null): Matches {
  if (!text) return everything;
  const terms = splitTerms(text).map((term) => labelTerm(term.trim()));
  return (labels) => terms.every((term) => term(labels));
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === ',' && depth === 0) {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

const KEY = '([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)';
const SET = new RegExp(`^${KEY}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUAL = new RegExp(`^${KEY}\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)$`);
const COMPARE = new RegExp(`^${KEY}\\s*([<>])\\s*(-?\\d+)$`);
const EXISTS = new RegExp(`^(!?)\\s*${KEY}$`);

function labelTerm(term: string): Matches {
  const set = SET.exec(term);
  if (set) {
    const [, key, operator, list] = set as unknown as [string, string, string, string];
    const values = new Set(list.split(',').map((value) => value.trim()));
    if (operator === 'in') return (labels) => labels[key] !== undefined && values.has(labels[key] as string);
    return (labels) => labels[key] === undefined || !values.has(labels[key] as string);
  }
  const equal = EQUAL.exec(term);
  if (equal) {
    const [, key, operator, value] = equal as unknown as [string, string, string, string];
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const compare = COMPARE.exec(term);
  if (compare) {
    const [, key, operator, value] = compare as unknown as [string, string, string, string];
    const limit = Number(value);
    return (labels) => {
      const actual = Number.parseInt(labels[key] ?? '', 10);
      return Number.isNaN(actual) ? false : operator === '>' ? actual > limit : actual < limit;
    };
  }
  const exists = EXISTS.exec(term);
  if (exists) {
    const [, not, key] = exists as unknown as [string, string, string];
    return not ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
  }
  const found = /^\S+\s+(\S+)/.exec(term)?.[1] ?? term;
  throw badRequest(`unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`);
}

/** Parses a field selector (`=`, `==`, `!=`) and checks its fields against those the resource offers; `named` tells that it offers some of its own. */
export function fieldSelector(
  text: string | null,
  fields: { known: (field: string) => boolean; named: boolean },
): Matches {
  if (!text) return everything;
  const terms = splitFields(text)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field, operator, raw] = match as unknown as [string, string, string, string];
      if (!fields.known(field))
        throw badRequest(
          fields.named
            ? `field label not supported: ${field}`
            : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
        );
      const value = raw.replace(/\\([\\,=])/g, '$1');
      return { field, negative: operator === '!=', value };
    });
  return (values) => terms.every(({ field, negative, value }) => ((values[field] ?? '') === value) !== negative);
}

function splitFields(text: string): string[] {
  return text.split(/(?<!\\),/);
}

/** The value that the selector demands of metadata.name, if it demands one. */
export function singleName(text: string | null): string | undefined {
  if (!text) return undefined;
  return splitFields(text)
    .map((term) => /^metadata\.name==?(.*)$/.exec(term)?.[1])
    .find((name) => name !== undefined && name !== '');
}
