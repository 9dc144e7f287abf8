/** How a flag takes its value. `list` flags may be repeated; `csv` ones are also split at commas. */
type FlagType = 'bool' | 'text' | 'list' | 'csv' | 'ignored-text' | 'ignored-bool';

interface FlagSpec {
  readonly type: FlagType;
  readonly short?: string;
  /** What `--flag` without `=value` means, for flags that may stand alone. */
  readonly alone?: string;
  /** Why it is not supported. */
  readonly refused?: string;
  readonly deprecated?: string;
}

const ignoredText: FlagSpec = { type: 'ignored-text' };
const ignoredBool: FlagSpec = { type: 'ignored-bool' };
const server = 'It needs a cluster; templates are rendered without one';

/** The flags of `helm template` and the global ones. */
export const templateFlags: Readonly<Record<string, FlagSpec>> = {
  values: { type: 'csv', short: 'f' },
  set: { type: 'list' },
  'set-string': { type: 'list' },
  'set-file': { type: 'list' },
  'set-json': { type: 'list' },
  'set-literal': { type: 'list' },
  'show-only': { type: 'list', short: 's' },
  'output-dir': { type: 'text' },
  'include-crds': { type: 'bool' },
  'skip-crds': { type: 'bool' },
  'skip-tests': { type: 'bool' },
  'no-hooks': { type: 'bool' },
  'is-upgrade': { type: 'bool' },
  'kube-version': { type: 'text' },
  'api-versions': { type: 'csv', short: 'a' },
  'release-name': { type: 'bool' },
  'name-template': { type: 'text' },
  'generate-name': { type: 'bool', short: 'g' },
  namespace: { type: 'text', short: 'n' },
  'skip-schema-validation': { type: 'bool' },
  'dependency-update': { type: 'bool' },
  debug: { type: 'bool' },
  help: { type: 'bool', short: 'h' },
  explain: { type: 'bool' },
  version: { type: 'text' },
  repo: { type: 'text' },
  username: { type: 'text' },
  password: { type: 'text' },
  'pass-credentials': { type: 'bool' },
  'ca-file': { type: 'text' },
  'cert-file': { type: 'text' },
  'key-file': { type: 'text' },
  'insecure-skip-tls-verify': { type: 'bool' },
  'plain-http': { type: 'bool' },
  devel: { type: 'bool' },
  verify: { type: 'bool', refused: 'Provenance of charts is not checked yet; run `helm verify` on the package first' },
  keyring: { type: 'text' },
  'dry-run': { type: 'text', alone: 'client' },
  validate: { type: 'bool', refused: server, deprecated: "use '--dry-run=server' instead" },
  'post-renderer': { type: 'text', refused: 'Programs are not run on rendered output; use kustomize patches' },
  'post-renderer-args': { type: 'list', refused: 'Programs are not run on rendered output; use kustomize patches' },
  'enable-dns': { type: 'bool', refused: 'Templates can not reach the network' },
  'create-namespace': ignoredBool,
  'force-replace': ignoredBool,
  force: { type: 'ignored-bool', deprecated: 'use --force-replace instead' },
  'force-conflicts': ignoredBool,
  'server-side': ignoredBool,
  replace: ignoredBool,
  timeout: ignoredText,
  'wait-for-jobs': ignoredBool,
  wait: { type: 'ignored-text', alone: 'watcher' },
  description: ignoredText,
  'disable-openapi-validation': ignoredBool,
  'rollback-on-failure': ignoredBool,
  atomic: { type: 'ignored-bool', deprecated: 'use --rollback-on-failure instead' },
  'render-subchart-notes': {
    type: 'ignored-bool',
    deprecated: "this flag has no effect for 'helm template' and will be removed in Helm 5",
  },
  labels: { type: 'ignored-text', short: 'l' },
  'hide-notes': {
    type: 'ignored-bool',
    deprecated: "this flag has no effect for 'helm template' and will be removed in Helm 5",
  },
  'take-ownership': ignoredBool,
  'kube-context': ignoredText,
  kubeconfig: ignoredText,
  'registry-config': { type: 'text' },
  'repository-cache': ignoredText,
  'repository-config': { type: 'text' },
  'content-cache': ignoredText,
  'burst-limit': ignoredText,
  qps: ignoredText,
  'kube-apiserver': ignoredText,
  'kube-as-group': ignoredText,
  'kube-as-user': ignoredText,
  'kube-ca-file': ignoredText,
  'kube-insecure-skip-tls-verify': ignoredBool,
  'kube-tls-server-name': ignoredText,
  'kube-token': ignoredText,
  color: ignoredText,
  colour: ignoredText,
};

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
}

/** Reads a command line as pflag does: `--name value`, `--name=value`, `-nvalue`, `--` ends the flags. */
export function parseFlags(argv: readonly string[]): ParsedFlags {
  const args: string[] = [];
  const values = new Map<string, string[]>();
  const deprecations: string[] = [];
  const put = (name: string, spec: FlagSpec, value: string): void => {
    if (spec.refused !== undefined && value !== 'false')
      throw new FlagError(`--${name} is not supported`, spec.refused);
    if (spec.deprecated !== undefined) deprecations.push(`Flag --${name} has been deprecated, ${spec.deprecated}\n`);
    if (isBool(spec)) checkBool(name, value);
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
    if (arg.startsWith('--')) i += long(arg, argv[i + 1], put);
    else if (arg.startsWith('-') && arg !== '-') i += short(arg, argv[i + 1], put);
    else args.push(arg);
  }
  return {
    args,
    deprecations,
    flag: (name) => isTrueText(values.get(name)?.at(-1) ?? 'false'),
    text: (name) => values.get(name)?.at(-1) ?? '',
    list: (name) => values.get(name) ?? [],
  };
}

type Put = (name: string, spec: FlagSpec, value: string) => void;

function long(arg: string, next: string | undefined, put: Put): number {
  const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const spec = Object.hasOwn(templateFlags, name) ? (templateFlags[name] as FlagSpec) : undefined;
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

function short(arg: string, next: string | undefined, put: Put): number {
  for (let i = 1; i < arg.length; i++) {
    const letter = arg[i] as string;
    const found = Object.entries(templateFlags).find(([, spec]) => spec.short === letter);
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
