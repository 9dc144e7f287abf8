import { type Diagnosis, DiagnosisError, type DiagnosisKind, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const parseFailed = defineDiagnosis(
  'TemplateSyntaxError',
  'A template does not follow the grammar of Go templates, or uses a function that does not exist.',
);
const executionFailed = defineDiagnosis('TemplateExecutionFailed', 'An action of a template failed.');
const limitExceeded = defineDiagnosis(
  'TemplateLimitExceeded',
  'A template takes more depth, steps, memory, output or time than it is allowed.',
);

export type TemplateErrorKind = 'parse' | 'execution' | 'limit' | 'cancelled';

export interface TemplateErrorPlace {
  readonly template: string;
  /** 1-based; 0 if unknown. */
  readonly line: number;
  /** 0-based, in bytes; undefined for parse errors, which Go places by line only. */
  readonly column?: number;
  /** The expression, as Go prints the node. */
  readonly expression?: string;
}

/** A template that can't be parsed or executed. */
export class TemplateError extends DiagnosisError {
  /** What the Go program's `err.Error()` is, to the byte. */
  readonly goMessage: string;
  readonly kind: TemplateErrorKind;
  readonly at: TemplateErrorPlace;
  /** The error of the template that was executed inside the failing call (`include`, `tpl`), or the function's own. */
  readonly inner: unknown;
  /** The part of the message after the place: `nil pointer evaluating interface {}.port`. */
  readonly detail: string;

  constructor(kind: TemplateErrorKind, goMessage: string, detail: string, at: TemplateErrorPlace, inner?: unknown) {
    const { template, line, column, expression } = at;
    super(
      diagnose(diagnosisKind(kind), {
        message: shortened(goMessage),
        place: {
          file: template,
          ...(line > 0 ? { line } : {}),
          ...(column === undefined ? {} : { column: column + 1 }),
        },
        evidence: { expression: expression === undefined ? undefined : shortened(expression) },
        remedies: remedies(kind, line, detail),
        ...(inner instanceof DiagnosisError ? { causes: [innermost(inner.diagnosis)] } : {}),
      }),
      inner === undefined ? {} : { cause: inner },
    );
    this.name = 'TemplateError';
    this.goMessage = goMessage;
    this.kind = kind;
    this.at = at;
    this.inner = inner;
    this.detail = detail;
  }
}

const maxText = 2000;

/** A message as it can be shown: templates may make expressions and names of megabytes. */
export function shortened(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText / 2)} … ${text.slice(-maxText / 2)}`;
}

/** Each include repeats what the one inside of it said, so the innermost says all. */
function innermost(diagnosis: Diagnosis): Diagnosis {
  return diagnosis.causes?.[0] ?? diagnosis;
}

function diagnosisKind(kind: TemplateErrorKind): DiagnosisKind {
  if (kind === 'parse') return parseFailed;
  return kind === 'execution' ? executionFailed : limitExceeded;
}

function remedies(kind: TemplateErrorKind, line: number, detail: string): string[] {
  if (kind === 'parse' && detail.includes('unexpected EOF'))
    return ['Add the {{ end }} that is missing: an if, range, with, block or define is open at the end of the file'];
  if (kind === 'parse') return [line > 0 ? `Correct the template near line ${line}` : 'Correct the template'];
  if (kind === 'limit')
    return ['Correct the loop or recursion in the template, or raise the limit if the template is meant to do this'];
  return [];
}
