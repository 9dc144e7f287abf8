type Labels = Readonly<Record<string, string>>;

const key = '([A-Za-z0-9][-A-Za-z0-9_./]*)';
const setPattern = new RegExp(`^${key}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const equalPattern = new RegExp(`^${key}\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)$`);
const existsPattern = new RegExp(`^(!?)\\s*${key}$`);

/** A Kubernetes label selector such as `a=b,c!=d,e in (f,g),h,!i` as a test of labels; undefined for text that is none. */
export function parseSelector(text: string): ((labels: Labels) => boolean) | undefined {
  const requirements = split(text).map(requirement);
  if (requirements.includes(undefined)) return undefined;
  return (labels) => requirements.every((holds) => holds?.(labels));
}

/** At commas that are not inside of brackets. */
function split(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter(Boolean);
}

function requirement(text: string): ((labels: Labels) => boolean) | undefined {
  const set = setPattern.exec(text);
  if (set) {
    const [, name, verb, items] = set as unknown as [string, string, string, string];
    const values = new Set(items.split(',').map((item) => item.trim()));
    return (labels) => (Object.hasOwn(labels, name) && values.has(labels[name] as string)) === (verb === 'in');
  }
  const equal = equalPattern.exec(text);
  if (equal) {
    const [, name, operator, value] = equal as unknown as [string, string, string, string];
    return (labels) => (Object.hasOwn(labels, name) && labels[name] === value) === (operator !== '!=');
  }
  const exists = existsPattern.exec(text);
  return exists ? (labels) => Object.hasOwn(labels, exists[2] as string) === (exists[1] === '') : undefined;
}
