import {
  define,
  durationType,
  FunctionError,
  type FunctionSpec,
  GoFunction,
  GoInt,
  parseTime,
  TimeValue,
  type Value,
  type ValueMap,
} from '@tiphys/template';

/** A function as a value of the variables, which templates use with `call` and expressions directly. */
export function hostFunction(spec: FunctionSpec, name = 'func'): GoFunction {
  return new GoFunction({ name, kind: 'func', named: false }, spec);
}

const rfc3339 = '2006-01-02T15:04:05Z07:00';

const layouts: Readonly<Record<string, string>> = {
  Layout: "01/02 03:04:05PM '06 -0700",
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: rfc3339,
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  Kitchen: '3:04PM',
  Stamp: 'Jan _2 15:04:05',
  StampMilli: 'Jan _2 15:04:05.000',
  StampMicro: 'Jan _2 15:04:05.000000',
  StampNano: 'Jan _2 15:04:05.000000000',
};

const durations: Readonly<Record<string, bigint>> = {
  Nanosecond: 1n,
  Microsecond: 1000n,
  Millisecond: 1_000_000n,
  Second: 1_000_000_000n,
  Minute: 60_000_000_000n,
  Hour: 3_600_000_000_000n,
};

/** `time`: Now, Parse, durations and layouts. */
export function timeFunctions(now: () => number): ValueMap {
  return new Map<string, Value>([
    ['Now', hostFunction(define('', () => new TimeValue(BigInt(Math.floor(now())) * 1_000_000n, 'UTC')))],
    [
      'Parse',
      hostFunction(
        define('string', ([text]) => {
          const time = parseTime(rfc3339, text as string);
          if (typeof time === 'string') throw new FunctionError(time);
          return time;
        }),
      ),
    ],
    ...Object.entries(durations).map(([name, nanos]) => [name, new GoInt(durationType, nanos)] as const),
    ...Object.entries(layouts),
  ]);
}

/** `strings`. */
export const stringFunctions: ValueMap = new Map<string, Value>([
  [
    'ReplaceAll',
    hostFunction(
      define('string, string, string', ([text, from, to]) => {
        const [source, old, fresh] = [text, from, to] as [string, string, string];
        if (old !== '') return source.replaceAll(old, () => fresh);
        return ['', ...Array.from(source)].map((rune) => rune + fresh).join('');
      }),
    ),
  ],
  ['ToUpper', hostFunction(define('string', ([text]) => (text as string).toUpperCase()))],
  ['ToLower', hostFunction(define('string', ([text]) => (text as string).toLowerCase()))],
]);

/** `sync`: what the operation of an Application says of itself. */
export const syncFunctions: ValueMap = new Map<string, Value>([
  [
    'GetInfoItem',
    hostFunction(
      define('map[string]any, string', ([app, name]) => {
        const operation = at(app, 'status', 'operationState', 'operation') ?? at(app, 'operation');
        const items = at(operation, 'info');
        if (!Array.isArray(items)) return '';
        const found = items.find((item) => at(item, 'name') === name);
        return at(found, 'value') ?? '';
      }),
    ),
  ],
]);

function at(value: Value, ...path: string[]): Value {
  let found = value;
  for (const name of path) found = found instanceof Map ? found.get(name) : undefined;
  return found;
}
