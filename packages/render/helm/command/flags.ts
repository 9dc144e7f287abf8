import { goDuration } from '@tiphys/go';

/** How a flag takes its value. `list` flags may be repeated; `csv` ones are also split at commas. */
type FlagType = 'bool' | 'text' | 'list' | 'csv' | 'duration' | 'ignored-text' | 'ignored-bool';

export interface FlagSpec {
  readonly type: FlagType;
  readonly short?: string;
  /** What `--flag` without `=value` means, for flags that may stand alone. */
  readonly alone?: string;
  /** Why it is not supported. */
  readonly refused?: string;
  readonly deprecated?: string;
}

export type FlagTable = Readonly<Record<string, FlagSpec>>;

/** A command line that helm refuses, in its words. */
export class FlagError extends Error {
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

export interface ParsedFlags {
  readonly args: readonly string[];
  readonly deprecations: readonly string[];
  flag(name: string): boolean;
  text(name: string): string;
  list(name: string): readonly string[];
  has(name: string): boolean;
}

/** Reads a command line as pflag does: `--name value`, `--name=value`, `-nvalue`, `--` ends the flags. */
export function parseFlags(argv: readonly string[], specs: FlagTable): ParsedFlags {
  const args: string[] = [];
  const values = new Map<string, string[]>();
  const deprecations: string[] = [];
  const put = (name: string, spec: FlagSpec, value: string): void => {
    if (spec.refused !== undefined && value !== 'false')
      throw new FlagError(`--${name} is not supported`, spec.refused);
    if (spec.deprecated !== undefined) deprecations.push(`Flag --${name} has been deprecated, ${spec.deprecated}\n`);
    if (isBool(spec)) checkBool(name, value);
    if (spec.type === 'duration') checkDuration(name, value);
    const before = values.get(name) ?? [];
    const more = spec.type === 'csv' ? splitCsv(value) : [value];
    values.set(name, spec.type === 'list' || spec.type === 'csv' ? [...before, ...more] : more);
  };
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string;
    if (arg === '--') {
      args.push(...argv.slice(i + 1));
      break;
    }
    if (arg.startsWith('--')) i += long(specs, arg, argv[i + 1], put);
    else if (arg.startsWith('-') && arg !== '-') i += short(specs, arg, argv[i + 1], put);
    else args.push(arg);
  }
  return {
    args,
    deprecations,
    flag: (name) => isTrueText(values.get(name)?.at(-1) ?? 'false'),
    text: (name) => values.get(name)?.at(-1) ?? '',
    list: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  };
}

type Put = (name: string, spec: FlagSpec, value: string) => void;

function long(specs: FlagTable, arg: string, next: string | undefined, put: Put): number {
  const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const spec = Object.hasOwn(specs, name) ? (specs[name] as FlagSpec) : undefined;
  if (!spec) throw new FlagError(`unknown flag: --${name}`);
  const alone = isBool(spec) ? 'true' : spec.alone;
  if (value !== undefined || alone !== undefined) put(name, spec, value ?? (alone as string));
  else {
    if (next === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    put(name, spec, next);
    return 1;
  }
  return 0;
}

function short(specs: FlagTable, arg: string, next: string | undefined, put: Put): number {
  for (let i = 1; i < arg.length; i++) {
    const letter = arg[i] as string;
    const found = Object.entries(specs).find(([, spec]) => spec.short === letter);
    if (!found) throw new FlagError(`unknown shorthand flag: '${letter}' in ${arg}`);
    const [name, spec] = found;
    const rest = arg.slice(i + 1).replace(/^=/, '');
    if (isBool(spec)) {
      if (arg[i + 1] === '=') {
        put(name, spec, rest);
        return 0;
      }
      put(name, spec, 'true');
      continue;
    }
    if (i + 1 < arg.length) put(name, spec, rest);
    else {
      if (next === undefined) throw new FlagError(`flag needs an argument: '${letter}' in ${arg}`);
      put(name, spec, next);
      return 1;
    }
    return 0;
  }
  return 0;
}

function isBool(spec: FlagSpec): boolean {
  return spec.type === 'bool' || spec.type === 'ignored-bool';
}

function isTrueText(value: string): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
}

function checkBool(name: string, value: string): void {
  if (isTrueText(value) || ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return;
  throw new FlagError(
    `invalid argument "${value}" for "--${name}" flag: strconv.ParseBool: parsing "${value}": invalid syntax`,
  );
}

/** Commas separate, quotes keep them, as Go's csv reader does on one line. */
function splitCsv(value: string): string[] {
  if (value === '') return [];
  if (!value.includes('"')) return value.split(',');
  return [...value.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

function checkDuration(name: string, value: string): void {
  if (goDuration(value) !== undefined) return;
  throw new FlagError(
    `invalid argument "${value}" for "--${name}" flag: time: invalid duration ${JSON.stringify(value)}`,
  );
}
