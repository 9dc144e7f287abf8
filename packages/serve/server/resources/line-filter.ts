import { RE2JS, RE2JSException } from 're2js';
import { invalidArgument } from '../rpc/rpc-error.ts';

interface LineQuery {
  /** Words, or a regular expression; `!` in front turns it round. */
  readonly filter?: string | undefined;
  readonly matchCase?: boolean | undefined;
  /** `filter` is a regular expression in the syntax of RE2. */
  readonly regex?: boolean | undefined;
}

/** Instructions of a compiled expression: with the length of a line they bound what one line costs. */
const mostInstructions = 1000;
/** Characters of a line that an expression reads. */
const mostLooked = 65_536;

/** Which lines of a log a caller asks for. Throws InvalidArgument for an expression that is none or costs too much. */
export function lineFilter({ filter, matchCase = false, regex = false }: LineQuery): (line: string) => boolean {
  if (!filter) return () => true;
  const inverse = filter.startsWith('!');
  const wanted = inverse ? filter.slice(1) : filter;
  const has = regex ? expression(wanted, matchCase) : words(wanted, matchCase);
  return (line) => has(line) !== inverse;
}

function words(wanted: string, matchCase: boolean): (line: string) => boolean {
  if (matchCase) return (line) => line.includes(wanted);
  const folded = wanted.toLowerCase();
  return (line) => line.toLowerCase().includes(folded);
}

function expression(wanted: string, matchCase: boolean): (line: string) => boolean {
  return boundedExpression(compile(wanted, matchCase), 'filter');
}

/**
 * Whether a line has what a caller's expression looks for, at a cost that is bounded: by the instructions of the expression, and by
 * how far into a line it looks. Throws InvalidArgument with the name of the field for an expression that costs too much.
 */
export function boundedExpression(compiled: RE2JS, field: string): (line: string) => boolean {
  if (compiled.programSize() > mostInstructions)
    throw invalidArgument(
      `${field} is too large an expression: it has ${compiled.programSize()} instructions, and ${mostInstructions} are allowed; make its repetitions smaller`,
    );
  return (line) => compiled.matcher(line.slice(0, mostLooked)).find();
}

function compile(wanted: string, matchCase: boolean): RE2JS {
  try {
    // as it was written, so that what is refused is said in the caller's words
    RE2JS.compile(wanted);
    return RE2JS.compile(wanted, matchCase ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw invalidArgument(`filter is not a regular expression: ${error.message}`);
  }
}
