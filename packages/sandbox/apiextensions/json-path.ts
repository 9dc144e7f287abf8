type Step =
  | { kind: 'field'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'all' }
  | { kind: 'filter'; path: string[]; operator: string; value: unknown };

/** Compiles the JSONPath of a printer column: fields, indices, `[*]` and `[?(@.type=="Ready")]`. Undefined if it uses more. */
export function compileJsonPath(text: string): ((value: unknown) => unknown[]) | undefined {
  const steps: Step[] = [];
  let rest = text.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, '');
  while (rest) {
    const field = /^\.((?:\\.|[^.[\]\\])+)/.exec(rest);
    const quoted = /^\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/.exec(rest);
    const index = /^\[(-?\d+)\]/.exec(rest);
    const all = /^(?:\[\*\]|\.\*)/.exec(rest);
    const filter = /^\[\?\(\s*@((?:\.[\w-]+)+)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w.]+))\s*\)\]/.exec(rest);
    if (all) steps.push({ kind: 'all' });
    else if (field) steps.push({ kind: 'field', name: (field[1] as string).replace(/\\(.)/g, '$1') });
    else if (quoted) steps.push({ kind: 'field', name: (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1') });
    else if (index) steps.push({ kind: 'index', index: Number(index[1]) });
    else if (filter) {
      const literal = filter[5];
      const value =
        literal === undefined
          ? (filter[3] ?? filter[4])
          : literal === 'true'
            ? true
            : literal === 'false'
              ? false
              : Number(literal);
      steps.push({
        kind: 'filter',
        path: (filter[1] as string).slice(1).split('.'),
        operator: filter[2] as string,
        value,
      });
    } else return undefined;
    rest = rest.slice((all ?? field ?? quoted ?? index ?? filter)?.[0].length);
  }
  return (value) => steps.reduce<unknown[]>((values, step) => values.flatMap((item) => walk(item, step)), [value]);
}

function walk(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  switch (step.kind) {
    case 'field': {
      const found = (value as Record<string, unknown>)[step.name];
      return found === undefined ? [] : [found];
    }
    case 'index': {
      const found = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'all':
      return Object.values(value);
    case 'filter':
      return (Array.isArray(value) ? value : Object.values(value)).filter((item) => {
        const found = step.path.reduce<unknown>(
          (part, name) =>
            typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined,
          item,
        );
        return found !== undefined && (found === step.value) === (step.operator === '==');
      });
  }
}
