import type { Execution } from '../exec/execution.ts';
import type { FunctionSpec } from '../functions/function-spec.ts';
import type { Value } from '../value/value.ts';
import type { Origin, Segment, Trace, Traced } from './trace.ts';

/** What was being traced before a nested execution began. */
export interface Suspended {
  readonly segments: Segment[];
  readonly origins: Origin[];
  readonly nested: Segment[];
}

/** A call under way. */
interface Frame {
  argument(): void;
  final(): void;
  leave(name: string, spec: FunctionSpec, result: Value): void;
}

type Path = readonly (string | number)[];

/**
 * Origins of output while an execution in trace mode runs: every value below the data that an action read is an origin
 * of what it printed; text that came through `include` keeps, line by line, the template that wrote it.
 */
export class Tracer implements Trace {
  #segments: Segment[] = [];
  #origins: Origin[] = [];
  /** Segments of templates that the current action included. */
  #nested: Segment[] = [];
  /** Functions that the current action called, innermost first. */
  #via: string[] = [];
  readonly #paths = new WeakMap<object, Path>();

  argument(_index: number): Traced | undefined {
    return { origins: this.#origins, via: this.#via };
  }

  result(traced: Traced): void {
    this.#origins.push(...traced.origins);
  }

  begin(): Suspended {
    const suspended = { segments: this.#segments, origins: this.#origins, nested: this.#nested };
    this.#segments = [];
    this.#origins = [];
    this.#nested = [];
    return suspended;
  }

  end(outer: Suspended, _text: string): void {
    const inner = this.#segments;
    this.#segments = outer.segments;
    this.#origins = outer.origins;
    this.#nested = [...outer.nested, ...inner];
  }

  text(execution: Execution, text: string): void {
    const { template, line, column } = execution.place();
    this.#segments.push({ text, template, line, column, origins: [], via: [] });
  }

  value(execution: Execution, text: string): void {
    const { template, line, column } = execution.place();
    const plain: Segment = { text, template, line, column, origins: this.#origins, via: this.#via };
    this.#segments.push(...(this.#nested.length > 0 ? linesFrom(plain, this.#nested) : [plain]));
    this.#origins = [];
    this.#nested = [];
    this.#via = [];
  }

  field(container: Value, name: string, value: Value): void {
    const base = typeof container === 'object' && container !== null ? this.#paths.get(keyOf(container)) : undefined;
    const path: Path = base ? [...base, name] : [name];
    if (typeof value === 'object' && value !== null) this.#paths.set(keyOf(value), path);
    // A longer path replaces its own beginning.
    const last = this.#origins.at(-1);
    const grown =
      last?.kind === 'data' && path.length > 1 && [last.root, ...last.path].join('\0') === path.slice(0, -1).join('\0');
    if (grown) this.#origins.pop();
    this.#origins.push({ kind: 'data', root: String(path[0]), path: path.slice(1) });
  }

  element(container: Value, key: Value, element: Value): (() => void) | undefined {
    const base = typeof container === 'object' && container !== null ? this.#paths.get(keyOf(container)) : undefined;
    if (base && typeof element === 'object' && element !== null)
      this.#paths.set(keyOf(element), [...base, stepOf(key)]);
    return undefined;
  }

  generated(origin: Extract<Origin, { kind: 'generated' }>): void {
    this.#origins.push(origin);
  }

  withDot<T>(body: () => T): T {
    return body();
  }

  dot(): void {}
  literal(): void {}
  variable(_slot: number): void {}
  setVariable(_slot: number): void {}
  clearVariable(_slot: number): void {}

  enter(): Frame {
    return {
      argument: () => undefined,
      final: () => undefined,
      leave: (name) => void this.#via.push(name),
    };
  }

  segments(): readonly Segment[] {
    return this.#segments;
  }
}

function keyOf(value: object): object {
  const { entries } = value as { entries?: unknown };
  return entries instanceof Map ? entries : value;
}

function stepOf(key: Value): string | number {
  if (typeof key === 'string') return key;
  const { value } = (key ?? {}) as { value?: bigint };
  return typeof value === 'bigint' ? Number(value) : String(key);
}

/** The output of an action, each line with the origins of the included line that it is. */
function linesFrom(whole: Segment, nested: readonly Segment[]): Segment[] {
  const known: { text: string; segment: Segment; line: number }[] = [];
  let current = '';
  let first: { segment: Segment; line: number } | undefined;
  let origins: Origin[] = [];
  for (const segment of nested) {
    for (const [i, part] of segment.text.split('\n').entries()) {
      if (i > 0) {
        if (first) known.push({ text: current.trim(), segment: { ...first.segment, origins }, line: first.line });
        current = '';
        first = undefined;
        origins = [];
      }
      if (part.trim() !== '') first ??= { segment, line: segment.origins.length > 0 ? segment.line : segment.line + i };
      current += part;
      if (part !== '') origins = [...origins, ...segment.origins];
    }
  }
  if (first) known.push({ text: current.trim(), segment: { ...first.segment, origins }, line: first.line });
  let next = 0;
  const lines = whole.text.split('\n');
  return lines.map((line, i) => {
    const text = i < lines.length - 1 ? `${line}\n` : line;
    const found = line.trim() === '' ? -1 : known.findIndex((entry, at) => at >= next && entry.text === line.trim());
    if (found < 0) return { ...whole, text };
    next = found + 1;
    const { segment, line: at } = known[found] as (typeof known)[number];
    return { ...segment, text, line: at };
  });
}
