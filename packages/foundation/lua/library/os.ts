import type { Machine } from '../run/machine.ts';
import { LuaTable } from '../run/table.ts';
import { fill, type LibraryFunction, refused } from './define.ts';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
/** What a character of a template becomes at most: `%c` is the longest. */
const longestPart = 10;
const noProcess = 'a script can reach neither processes nor files nor the environment';

/**
 * `time` and `date`, in UTC, by the given clock. As upstream they are in the library `os`, which is only a global with
 * the open libraries and can always be required, and in the library `table`.
 */
export function openOs(machine: Machine, now: () => number, open: boolean): void {
  const safe: Record<string, LibraryFunction> = {
    time: (args) => {
      if (args.get(1) === undefined) return [Math.floor(now() / 1000)];
      const table = args.table(1);
      const field = (name: string, missing: number) => {
        const value = table.get(name);
        const number = typeof value === 'string' ? Number(value) : value;
        return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : missing;
      };
      const date = new Date(0);
      date.setUTCFullYear(field('year', -1), field('month', -1) - 1, field('day', -1));
      date.setUTCHours(field('hour', 12), field('min', 0), field('sec', 0));
      return [date.getTime() / 1000];
    },
    date: (args) => {
      const template = args.count > 0 ? args.string(1).replace(/^!+/, '') : '%c';
      const at = new Date(args.count > 1 ? args.integer(2) * 1000 : now());
      if (Number.isNaN(at.getTime())) throw machine.argumentError(2, 'time out of range');
      machine.bounds.text(template.length * longestPart);
      const known = new Map<string, string | undefined>();
      return [
        template.startsWith('*t')
          ? fields(at)
          : template.replace(/%(.)/gs, (all, flag: string) => {
              if (!known.has(flag)) known.set(flag, part(at, flag));
              return known.get(flag) ?? all;
            }),
      ];
    },
  };
  const library = open
    ? fill(machine, {
        ...safe,
        clock: () => [0],
        difftime: (args) => [args.integer(1) - args.integer(2)],
        setlocale: () => [false],
        getenv: () => [undefined],
        ...Object.fromEntries(
          ['execute', 'exit', 'remove', 'rename', 'setenv', 'tmpname'].map((name) => [name, refused(noProcess)]),
        ),
      })
    : fill(machine, safe);
  if (open) machine.globals.set('os', library);
  machine.registry.set('os', library);
  const table = machine.globals.get('table');
  if (table instanceof LuaTable) fill(machine, safe, table);
}

function fields(at: Date): LuaTable {
  const table = new LuaTable();
  table.set('year', at.getUTCFullYear());
  table.set('month', at.getUTCMonth() + 1);
  table.set('day', at.getUTCDate());
  table.set('hour', at.getUTCHours());
  table.set('min', at.getUTCMinutes());
  table.set('sec', at.getUTCSeconds());
  table.set('wday', at.getUTCDay() + 1);
  table.set('yday', 0);
  table.set('isdst', false);
  return table;
}

/** What a directive gives; some are not what C gives, since upstream takes other forms. */
function part(at: Date, flag: string): string | undefined {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = days[at.getUTCDay()] as string;
  const month = months[at.getUTCMonth()] as string;
  const hours = at.getUTCHours();
  const year = String(at.getUTCFullYear()).padStart(4, '0');
  const [d, m, H, I] = [two(at.getUTCDate()), two(at.getUTCMonth() + 1), two(hours), two(hours % 12 || 12)];
  const [M, S] = [two(at.getUTCMinutes()), two(at.getUTCSeconds())];
  const parts: Record<string, string> = {
    '%': '%',
    a: 'mon',
    A: day,
    b: month.slice(0, 3),
    B: month,
    c: `${d} ${month.slice(0, 3)} ${year.slice(-2)} ${H}:${M} UTC`,
    d,
    F: `${year}-${m}-${d}`,
    H,
    I,
    m,
    M,
    p: hours < 12 ? 'AM' : 'PM',
    P: hours < 12 ? 'am' : 'pm',
    S,
    x: `${H}/${M}/${S}`,
    X: `${H}:${M}:${S}`,
    y: year.slice(-2),
    Y: year,
    z: '+0000',
    Z: 'UTC',
    w: String(at.getUTCDay()),
  };
  return parts[flag];
}
