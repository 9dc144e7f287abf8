/** What is wrong with a part of a spec, and what to do about it. */
export interface SpecProblem {
  /** By upstream's words, where it has some. */
  readonly text: string;
  /** Path inside the part that was judged; absent for the part itself. */
  readonly field?: string | undefined;
  /** An imperative sentence. */
  readonly remedy: string;
}

/** A field that must be given and is not. `like` is an example of its value. */
export function missing(field: string, text: string, like?: string): SpecProblem {
  return { text, field, remedy: `Set ${field}${like ? `, such as ${like}` : ''}` };
}

/** A field that must hold something else. */
export function wrong(field: string, text: string, remedy: string): SpecProblem {
  return { text, field, remedy };
}

/** A problem of a part, told by the whole that has it as `path`. */
export function within(path: string, problem: SpecProblem | undefined): SpecProblem | undefined {
  return problem && { ...problem, field: pathOf(path, problem.field) };
}

/** The path of a field inside a part. */
function pathOf(path: string, field: string | undefined): string {
  if (!field) return path;
  return field.startsWith('[') ? `${path}${field}` : `${path}.${field}`;
}

/** What is wrong with a spec, by upstream's words. */
export class SpecError extends Error {
  /** Reason of the condition. */
  readonly reason: string;
  /** Where it is wrong, from `spec` on, and what to do; absent where the words are all that is known. */
  readonly problem: SpecProblem | undefined;

  constructor(reason: string, message: string, problem?: SpecProblem) {
    super(message);
    this.name = 'SpecError';
    this.reason = reason;
    this.problem = problem;
  }
}
