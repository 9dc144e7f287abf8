import { DiagnosisError, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const invalid = defineDiagnosis(
  'ExpressionInvalid',
  'An expression does not follow the grammar of expr-lang, uses a name that does not exist, or mixes types that do not fit.',
);
const failed = defineDiagnosis('ExpressionFailed', 'An expression failed on the values that it met.');
const exceeded = defineDiagnosis(
  'ExpressionLimitExceeded',
  'An expression takes more nodes, depth, steps or memory than it is allowed.',
);

/** A stretch of the expression, counted in code points from 0. */
export interface Location {
  readonly from: number;
  readonly to: number;
}

export type ExpressionErrorKind = 'invalid' | 'failed' | 'limit';

/** What went wrong at which stretch; `ExpressionError` binds it to the text. */
export class Fault extends Error {
  /** Undefined for what Go reports without a place. */
  readonly at: Location | undefined;
  readonly kind: ExpressionErrorKind;
  constructor(message: string, at: Location | undefined, kind: ExpressionErrorKind = 'invalid') {
    super(message);
    this.at = at;
    this.kind = kind;
  }
}

/** A failure while evaluating; the evaluator adds the place. */
export class Panic extends Error {
  readonly kind: ExpressionErrorKind;
  constructor(message: string, kind: ExpressionErrorKind = 'failed') {
    super(message);
    this.kind = kind;
  }
}

/** An expression that can't be compiled or run. */
export class ExpressionError extends DiagnosisError {
  readonly kind: ExpressionErrorKind;
  /** What the Go module's `err.Error()` is: the message, `(line:column)` and the line with a pointer. */
  readonly goMessage: string;
  /** The message alone. */
  readonly detail: string;

  constructor(fault: Fault, text: string) {
    const bound = bind(fault, text);
    const where = bound.snippet ? ` (${bound.line}:${bound.column + 1})` : '';
    super(
      diagnose(fault.kind === 'invalid' ? invalid : fault.kind === 'failed' ? failed : exceeded, {
        message: `${fault.message}${where}`,
        evidence: { expression: shortened(text) },
        remedies: [remedy(fault.kind)],
      }),
      { cause: fault },
    );
    this.name = 'ExpressionError';
    this.kind = fault.kind;
    this.goMessage = `${fault.message}${where}${bound.snippet}`;
    this.detail = fault.message;
  }
}

function remedy(kind: ExpressionErrorKind): string {
  if (kind === 'limit') return 'Make the expression smaller, or let it look at fewer values';
  return kind === 'invalid'
    ? 'Correct the expression at the place that is named'
    : 'Guard the expression against values that it may meet, for example with ?. and ??';
}

function shortened(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 1000)} … ${text.slice(-1000)}`;
}

/** Line (from 1), column (from 0) and the line with a pointer under the column; no pointer on an empty line. */
function bind({ at }: Fault, text: string): { line: number; column: number; snippet: string } {
  if (!at) return { line: 0, column: 0, snippet: '' };
  const before = Array.from(text).slice(0, at.from).join('');
  const lineStart = before.lastIndexOf('\n') + 1;
  const column = Array.from(before.slice(lineStart)).length;
  const lineEnd = text.indexOf('\n', lineStart);
  const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
  const number = before.split('\n').length;
  if (line === '') return { line: number, column, snippet: '' };
  return { line: number, column, snippet: `\n | ${line.replaceAll('\t', ' ')}\n | ${'.'.repeat(column)}^` };
}
