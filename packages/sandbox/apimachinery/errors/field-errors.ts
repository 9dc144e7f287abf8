import { type QualifiedName, qualified, type StatusCause, StatusError } from './status.ts';

/** Collects what is wrong with an object, with the API server's own words, reasons and field paths. */
export class FieldErrors {
  readonly causes: StatusCause[] = [];

  get any(): boolean {
    return this.causes.length > 0;
  }

  required(field: string, detail = ''): void {
    this.#add('FieldValueRequired', field, `Required value${detail ? `: ${detail}` : ''}`);
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add('FieldValueInvalid', field, `Invalid value: ${show(value)}${detail ? `: ${detail}` : ''}`);
  }

  /** Without the value: it says nothing. */
  invalidWhole(field: string, detail: string): void {
    this.#add('FieldValueInvalid', field, `Invalid value: ${detail}`);
  }

  typeInvalid(field: string, value: unknown, detail: string): void {
    this.#add('FieldValueTypeInvalid', field, `Invalid value: ${show(value)}: ${detail}`);
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    this.#add(
      'FieldValueNotSupported',
      field,
      `Unsupported value: ${show(value)}: supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
    );
  }

  forbidden(field: string, detail: string): void {
    this.#add('FieldValueForbidden', field, `Forbidden: ${detail}`);
  }

  duplicate(field: string, value: unknown): void {
    this.#add('FieldValueDuplicate', field, `Duplicate value: ${show(value)}`);
  }

  duplicateOf(field: string, value: unknown, detail: string): void {
    this.#add('FieldValueDuplicate', field, `Duplicate value: ${show(value)}: ${detail}`);
  }

  tooLong(field: string, max: number): void {
    this.#add(
      'FieldValueTooLong',
      field,
      `Too long: ${max < 0 ? 'value is too long' : `may not be more than ${max} byte${max === 1 ? '' : 's'}`}`,
    );
  }

  tooMany(field: string, count: number, max: number): void {
    this.#add(
      'FieldValueTooMany',
      field,
      `Too many: ${count}: ${max < 0 ? 'has too many items' : `must have at most ${max} item${max === 1 ? '' : 's'}`}`,
    );
  }

  notFound(field: string, value: unknown): void {
    this.#add('FieldValueNotFound', field, `Not found: ${show(value)}`);
  }

  notFoundIn(field: string, value: unknown, detail: string): void {
    this.#add('FieldValueNotFound', field, `Not found: ${show(value)}: ${detail}`);
  }

  internal(field: string, detail: string): void {
    this.#add('InternalError', field, `Internal error: ${detail}`);
  }

  /** An empty collection, to try something without consequences. */
  fresh(): FieldErrors {
    return new FieldErrors();
  }

  /** Throws Invalid (422) when anything was collected. */
  throwIfAny(kind: QualifiedName, name: string): void {
    if (this.any) throw this.toStatus(kind, name);
  }

  /** Invalid (422) with what was collected. */
  toStatus(kind: QualifiedName, name: string): StatusError {
    const texts = [...new Set(this.causes.map(({ field, message }) => (field ? `${field}: ${message}` : message)))];
    const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
    return new StatusError(422, 'Invalid', `${qualified(kind)} ${JSON.stringify(name)} is invalid: ${all}`, {
      ...(name ? { name } : {}),
      ...(kind.group ? { group: kind.group } : {}),
      ...(kind.name ? { kind: kind.name } : {}),
      causes: this.causes,
    });
  }

  #add(reason: string, field: string, message: string): void {
    this.causes.push({ reason, message, field });
  }
}

/** A value as Go's validation prints it. */
function show(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string')
    return JSON.stringify(value).replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\u00(?=[01][0-9a-f])/g, '\\x');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}
