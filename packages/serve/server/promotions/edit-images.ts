import { type ImageVersion, joinImage, splitImage } from './images.ts';

/** A line `key: value` of a YAML text in block style. */
interface Field {
  readonly line: number;
  /** Where the key begins, behind the dashes of a list. */
  readonly column: number;
  readonly isItem: boolean;
  readonly key: string;
  readonly value: string;
  /** What stands around the value. */
  readonly before: string;
  readonly quote: string;
  readonly after: string;
}

const versionKeys = new Set(['tag', 'newTag', 'digest']);

/**
 * Gives images of a YAML text the versions that are wanted, by name: `image: NAME:TAG`, entries of a kustomization's `images`, and a
 * chart's values with `repository` (and `registry`) beside `tag` or `digest`. Everything else stays as it is, comments too. What is
 * written otherwise is not found: who calls renders the result and looks.
 */
export function editImages(text: string, wanted: ReadonlyMap<string, ImageVersion>): string {
  const lines = text.split('\n');
  const fields = lines.map(fieldOf);
  for (const field of fields) {
    if (!field) continue;
    const value = field.key === 'image' ? newImage(field.value, wanted) : newPart(field, fields, wanted);
    if (value === undefined || value === field.value) continue;
    const quote = field.quote || (readsOtherwise(value) ? '"' : '');
    lines[field.line] = `${field.before}${quote}${value}${quote}${field.after}`;
  }
  return lines.join('\n');
}

function newImage(value: string, wanted: ReadonlyMap<string, ImageVersion>): string | undefined {
  const { name } = splitImage(value);
  const version = wanted.get(name);
  return version && joinImage(name, version);
}

/** The part of a version that a field gives to the image that the fields beside it name. */
function newPart(
  field: Field,
  fields: readonly (Field | undefined)[],
  wanted: ReadonlyMap<string, ImageVersion>,
): string | undefined {
  if (!versionKeys.has(field.key)) return undefined;
  const beside = siblings(field, fields);
  const isKustomize = beside.has('newTag') || (beside.has('digest') && !beside.has('repository'));
  const [registry, repository] = [beside.get('registry'), beside.get('repository')];
  const name = isKustomize
    ? (beside.get('newName') ?? beside.get('name'))
    : registry && repository
      ? `${registry}/${repository}`
      : repository;
  const version = name === undefined ? undefined : wanted.get(name);
  return field.key === 'digest' ? version?.digest : version?.tag;
}

/** The fields of the mapping that a field belongs to. */
function siblings(field: Field, fields: readonly (Field | undefined)[]): Map<string, string> {
  const found = new Map([[field.key, field.value]]);
  const isBeside = (other: Field) => other.column === field.column;
  if (!field.isItem)
    for (let at = field.line - 1; at >= 0; at -= 1) {
      const other = fields[at];
      if (!other || other.column > field.column) continue;
      if (!isBeside(other)) break;
      found.set(other.key, other.value);
      if (other.isItem) break;
    }
  for (let at = field.line + 1; at < fields.length; at += 1) {
    const other = fields[at];
    if (!other || other.column > field.column) continue;
    if (!isBeside(other) || other.isItem) break;
    found.set(other.key, other.value);
  }
  return found;
}

/** Undefined for a line that is no field of a block mapping. */
function fieldOf(text: string, line: number): Field | undefined {
  let column = 0;
  let isItem = false;
  while (text[column] === ' ' || (text[column] === '-' && text[column + 1] === ' ')) {
    isItem ||= text[column] === '-';
    column += 1;
  }
  const colon = text.indexOf(':', column);
  const key = text.slice(column, colon);
  if (colon < 0 || !/^[A-Za-z][\w.-]*$/.test(key)) return undefined;
  const rest = text.slice(colon + 1);
  let start = 0;
  while (rest[start] === ' ') start += 1;
  const quote = rest[start] === '"' || rest[start] === "'" ? (rest[start] as string) : '';
  const begin = start + quote.length;
  const comment = rest.indexOf(' #', begin);
  const end = quote ? rest.indexOf(quote, begin) : comment < 0 ? rest.trimEnd().length : comment;
  const value = end < begin ? '' : rest.slice(begin, end);
  const plain = quote ? value : value.trimEnd();
  return {
    line,
    column,
    isItem,
    key,
    value: plain,
    before: text.slice(0, colon + 1) + rest.slice(0, start),
    quote,
    after: rest.slice(begin + plain.length + quote.length),
  };
}

/** Whether a plain scalar would be a number or another word of YAML. */
function readsOtherwise(value: string): boolean {
  return /^[\d.+_-]+(?:[eE][\d+-]*)?$|^0[xo]|^(?:true|false|yes|no|on|off|null|y|n|~)$/i.test(value);
}
