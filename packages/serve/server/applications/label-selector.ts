import { Code, RpcError } from '../rpc/rpc-error.ts';

type Labels = Readonly<Record<string, string>>;

/** A Kubernetes label selector such as `a=b,c!=d,e in (f,g),h,!i` as a test of labels. Throws for text that is none. */
export function parseSelector(text: string | undefined): (labels: Labels | undefined) => boolean {
  const requirements = splitRequirements(text ?? '').map(requirement);
  return (labels = {}) => requirements.every((holds) => holds(labels));
}

function splitRequirements(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const c of text) {
    if (c === '(') depth += 1;
    if (c === ')') depth -= 1;
    if (c === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += c;
  }
  parts.push(part);
  return parts.map((item) => item.trim()).filter(Boolean);
}

const key = '([A-Za-z0-9][-A-Za-z0-9_./]*)';
const value = '([-A-Za-z0-9_.]*)';
const setPattern = new RegExp(`^${key}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const equalPattern = new RegExp(`^${key}\\s*(==|=|!=)\\s*${value}$`);
const existsPattern = new RegExp(`^(!?)\\s*${key}$`);

function requirement(text: string): (labels: Labels) => boolean {
  const set = setPattern.exec(text);
  if (set) {
    const name = set[1] as string;
    const values = new Set((set[3] as string).split(',').map((item) => item.trim()));
    return set[2] === 'in'
      ? (labels) => Object.hasOwn(labels, name) && values.has(labels[name] as string)
      : (labels) => !Object.hasOwn(labels, name) || !values.has(labels[name] as string);
  }
  const equal = equalPattern.exec(text);
  if (equal) {
    const name = equal[1] as string;
    const wanted = equal[3] as string;
    const holds = (labels: Labels) => Object.hasOwn(labels, name) && labels[name] === wanted;
    return equal[2] === '!=' ? (labels) => !holds(labels) : holds;
  }
  const exists = existsPattern.exec(text);
  if (exists) return (labels) => Object.hasOwn(labels, exists[2] as string) === (exists[1] === '');
  throw new RpcError(Code.Unknown, `error parsing the selector: unable to parse requirement: "${text}"`);
}
