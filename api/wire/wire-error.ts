/** JSON that does not fit the message: which field, what was wanted, what was found. */
export class WireError extends Error {
  readonly field: string;

  constructor(field: string, wanted: string, found: unknown) {
    super(`${field || 'the value'}: wanted ${wanted}, found ${describe(found)}`);
    this.name = 'WireError';
    this.field = field;
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `${typeof value} ${JSON.stringify(value)}`.slice(0, 120);
}
