import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const selectorInvalid = defineDiagnosis('LabelSelectorInvalid', 'A label selector cannot be read');

export type LabelOperator = 'exists' | 'absent' | 'in' | 'notin' | 'greater' | 'less';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Empty for `exists` and `absent`; one number for `greater` and `less`. */
  readonly values: readonly string[];
}

/** Databases bind some 32,000 values of a statement. */
const longest = 60_000;

const term =
  /^(!)?\s*([A-Za-z0-9][-A-Za-z0-9_./]*)\s*(?:(==|!=|=|>|<)\s*([-A-Za-z0-9_.]*)|(in|notin)\s*\(([^()]*)\))?$/;

/** The requirements of a label selector as Kubernetes writes them, such as `a=b,!c,d in (e,f)`. Throws a diagnosis. */
export function labelRequirements(selector: string): LabelRequirement[] {
  if (selector.length > longest) throw invalid(`${selector.slice(0, 100)}…`, `more than ${longest} characters`);
  return termsOf(selector).map((text) => {
    const match = term.exec(text);
    if (!match) throw invalid(selector, text);
    const [, not, key = '', sign, value = '', word, list = ''] = match;
    if (word)
      return { key, operator: word === 'in' ? 'in' : 'notin', values: list.split(',').map((each) => each.trim()) };
    if (!sign) return { key, operator: not ? 'absent' : 'exists', values: [] };
    if (not) throw invalid(selector, text);
    if (sign === '>' || sign === '<') {
      if (!/^-?\d{1,15}$/.test(value)) throw invalid(selector, text);
      return { key, operator: sign === '>' ? 'greater' : 'less', values: [value] };
    }
    return { key, operator: sign === '!=' ? 'notin' : 'in', values: [value] };
  });
}

/** True if labels meet all requirements. */
export function meets(labels: Readonly<Record<string, string>>, requirements: readonly LabelRequirement[]): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'exists':
        return value !== undefined;
      case 'absent':
        return value === undefined;
      case 'in':
        return value !== undefined && values.includes(value);
      case 'notin':
        return value === undefined || !values.includes(value);
      case 'greater':
        return value !== undefined && Number(value) > Number(values[0]);
      case 'less':
        return value !== undefined && Number(value) < Number(values[0]);
      default:
        return false;
    }
  });
}

/** Terms between commas that are not in parentheses. */
function termsOf(selector: string): string[] {
  const terms: string[] = [];
  let depth = 0;
  let current = '';
  for (const letter of selector) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) {
      terms.push(current.trim());
      current = '';
    } else current += letter;
  }
  if (current.trim() !== '') terms.push(current.trim());
  return terms.filter(Boolean);
}

function invalid(selector: string, text: string): Error {
  return failure(selectorInvalid, {
    message: `unable to parse requirement: "${text}" of the label selector "${selector}"`,
    place: { field: 'labelSelector' },
    evidence: {
      found: text,
      wanted: 'KEY, !KEY, KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B), KEY>1 or KEY<1',
    },
    remedies: ['Write the selector as kubectl takes it with -l'],
  });
}
