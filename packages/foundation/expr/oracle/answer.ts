import {
  durationType,
  elementsOf,
  entriesOf,
  formatTime,
  GoFunction,
  GoInt,
  LocationValue,
  sprintf,
  TimeValue,
  typeOf,
  type Value,
} from '@tiphys/template';
import { type CompileOptions, compile, ExpressionError } from '../index.ts';
import { environment } from './environment.ts';

export type Mode = 'none' | 'env' | 'undefined' | 'bool' | 'int' | 'float';

export interface Question {
  readonly text: string;
  readonly mode: Mode;
}

/** The value with its types, or the error's text. */
export interface Answer {
  readonly value?: string;
  readonly error?: string;
}

function optionsOf(mode: Mode): CompileOptions {
  const env = environment();
  switch (mode) {
    case 'none':
      return {};
    case 'env':
      return { env };
    case 'undefined':
      return { env, allowUndefinedVariables: true };
    case 'float':
      return { env, expect: 'float64' };
    default:
      return { env, expect: mode };
  }
}

/** What we answer. */
export function answer({ text, mode }: Question): Answer {
  try {
    return { value: show(compile(text, optionsOf(mode)).run(environment())) };
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.goMessage };
    throw error;
  }
}

/** The same notation as that of the Go program. */
function show(value: Value): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed()).replace(/[<>&\u2028\u2029\x7f]/g, escaped);
  if (typeof value === 'number') return `float64(${sprintf('%v', [value])})`;
  if (value instanceof TimeValue)
    return `time(${formatTime(value, '2006-01-02T15:04:05.999999999Z07:00')} ${zoneText(value)})`;
  if (value instanceof LocationValue) return `location(${value.toGoString()})`;
  if (value instanceof GoFunction) return 'func';
  if (value instanceof GoInt && value.type === durationType) return `duration(${sprintf('%v', [value])})`;
  const type = typeOf(value)?.name ?? '';
  const items = elementsOf(value);
  if (items) return `${type}[${items.map(show).join(' ')}]`;
  const entries = entriesOf(value);
  if (entries) {
    const parts = [...entries].map(([key, item]) => `${show(key)}:${show(item)}`);
    return `${type}{${parts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(' ')}}`;
  }
  return `${type}(${sprintf('%v', [value])})`;
}

const escaped = (char: string): string =>
  char === '\x7f' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const zoneText = ({ zone }: TimeValue): string => (typeof zone === 'string' ? zone : zone.name);
