import {
  Budget,
  execute,
  GoSlice,
  int,
  parse,
  sliceOfString,
  sprigFunctions,
  TemplateError,
  TemplateSet,
  type Value,
} from '../index.ts';
import { toBytes } from '../text/bytes.ts';
import type { Answer, Question } from './oracle.ts';

const functions = new Map([...sprigFunctions].filter(([name]) => name !== 'env' && name !== 'expandenv'));

/** What this package answers to a question of the oracle. */
export function answer(question: Question): Answer {
  const { template, data, missingKey, delims } = question;
  try {
    const set = new TemplateSet();
    set.add(parse('t', template, { functions, ...(delims ? { delimiters: delims } : {}) }));
    const { text } = execute(set, 't', typed(data), {
      functions,
      budget: new Budget({ limits: { time: 20_000 } }),
      ...(missingKey ? { missingKey } : {}),
    });
    return { output: Buffer.from(toBytes(text)).toString('base64') };
  } catch (error) {
    if (error instanceof TemplateError) return { output: '', error: error.goMessage };
    return { output: '', error: `DEFECT ${error instanceof Error ? error.stack : String(error)}` };
  }
}

function typed(data: unknown): Value {
  if (data === undefined || data === null) return null;
  if (Array.isArray(data)) return data.map(typed);
  if (typeof data !== 'object') return data as Value;
  const { $int, $int64, $strings, $bytes } = data as Record<string, unknown>;
  if (typeof $int === 'string') return int(BigInt($int));
  if (typeof $int64 === 'string') return BigInt($int64);
  if (Array.isArray($strings)) return new GoSlice(sliceOfString, $strings as string[]);
  if (typeof $bytes === 'string') return new Uint8Array(Buffer.from($bytes));
  return new Map(Object.entries(data).map(([key, item]) => [key, typed(item)]));
}
