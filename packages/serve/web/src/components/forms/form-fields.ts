/** What a form holds: texts by field; a box that is ticked holds `true`. */
export type Values = Readonly<Record<string, string>>;

export interface FieldSpec {
  readonly name: string;
  /** In English; forms translate it. */
  readonly label: string;
  readonly kind?: 'text' | 'secret' | 'area' | 'secret-area' | 'check' | 'choice' | 'number';
  readonly help?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Takes the whole width. */
  readonly wide?: boolean;
  readonly shown?: (values: Values) => boolean;
  /** What is wrong with a value that is not empty; undefined if nothing is. */
  readonly check?: (value: string, values: Values) => string | undefined;
}

export function shownFields(fields: readonly FieldSpec[], values: Values): FieldSpec[] {
  return fields.filter(({ shown }) => shown?.(values) ?? true);
}

/** What is wrong with the shown fields, by name. */
export function formProblems(fields: readonly FieldSpec[], values: Values): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const { name, required, check } of shownFields(fields, values)) {
    const value = (values[name] ?? '').trim();
    const problem = value === '' ? (required ? 'A value is needed' : undefined) : check?.(value, values);
    if (problem !== undefined) problems.set(name, problem);
  }
  return problems;
}

/** Values of the shown fields alone: what was typed into one that is hidden now is not meant. */
export function shownValues(fields: readonly FieldSpec[], values: Values): Record<string, string> {
  return Object.fromEntries(
    shownFields(fields, values).flatMap(({ name }) => {
      const value = values[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}
