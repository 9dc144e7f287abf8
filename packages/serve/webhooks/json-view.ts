/**
 * Reads a document whose shape nobody vouches for: what is missing or of another type is empty, never an exception
 * (CVE-2025-59531).
 */
export class JsonView {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  at(...path: readonly (string | number)[]): JsonView {
    let value = this.value;
    for (const key of path) {
      const known = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
      value = known ? (value as Record<string | number, unknown>)[key] : undefined;
    }
    return new JsonView(value);
  }

  get text(): string {
    return typeof this.value === 'string' ? this.value : '';
  }

  get number(): number | undefined {
    return typeof this.value === 'number' ? this.value : undefined;
  }

  get items(): JsonView[] {
    return Array.isArray(this.value) ? this.value.map((item) => new JsonView(item)) : [];
  }

  get texts(): string[] {
    return this.items.map(({ text }) => text).filter(Boolean);
  }
}
