import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const flagUnsupported = defineDiagnosis(
  'ResourceFlagUnsupported',
  "A resource template has a flag of kubectl that Tiphys' executor does not know",
);

/** What `flags` of a resource template say, as kubectl reads them. */
export interface Flags {
  /** Such as `configmap`, `cm/name` or `deployments.apps name`. */
  readonly words: readonly string[];
  readonly namespace?: string;
  readonly selector?: string;
  readonly serverSide: boolean;
  readonly force: boolean;
  readonly fieldManager: string;
  readonly ignoreNotFound: boolean;
  readonly subresource?: string;
  readonly gracePeriod?: number;
  readonly cascade?: 'Background' | 'Foreground' | 'Orphan';
  readonly dryRun: boolean;
}

/** Flags that change nothing of what is done here: output is always read, and the server validates. */
const harmless: ReadonlySet<string> = new Set([
  '--validate',
  '--save-config',
  '--record',
  '--output',
  '-o',
  '--wait',
  '--overwrite',
  '--show-managed-fields',
  '--request-timeout',
]);
const valued: ReadonlySet<string> = new Set([
  '--namespace',
  '-n',
  '--selector',
  '-l',
  '--field-manager',
  '--subresource',
  '--grace-period',
  '--cascade',
  '--output',
  '-o',
  '--request-timeout',
]);

/** Reads flags; throws a diagnosis for those that would change something and are not known. */
export function readFlags(given: readonly string[] = []): Flags {
  const values = new Map<string, string>();
  const words: string[] = [];
  // a list item may hold a flag with its value
  const parts = given.flatMap((flag) => (flag.startsWith('-') && !flag.includes('=') ? flag.split(/\s+/) : [flag]));
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as string;
    if (!part.startsWith('-')) {
      words.push(part);
      continue;
    }
    const equal = part.indexOf('=');
    const name = equal < 0 ? part : part.slice(0, equal);
    if (equal >= 0) values.set(name, part.slice(equal + 1));
    else if (valued.has(name)) values.set(name, parts[++index] ?? '');
    else values.set(name, 'true');
  }
  return flagsOf(values, words);
}

const cascades = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

function flagsOf(values: Map<string, string>, words: string[]): Flags {
  const take = (...names: string[]) => {
    for (const name of names) {
      const value = values.get(name);
      values.delete(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const isOn = (...names: string[]) => {
    const value = take(...names);
    return value !== undefined && value !== 'false' && value !== 'none';
  };
  const optional = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });
  const grace = take('--grace-period');
  const flags: Flags = {
    words,
    serverSide: isOn('--server-side'),
    force: isOn('--force-conflicts', '--force'),
    fieldManager: take('--field-manager') ?? 'argo-workflows',
    ignoreNotFound: isOn('--ignore-not-found'),
    dryRun: isOn('--dry-run'),
    ...optional('namespace', take('--namespace', '-n')),
    ...optional('selector', take('--selector', '-l')),
    ...optional('subresource', take('--subresource')),
    ...optional('gracePeriod', grace === undefined ? undefined : Number(grace)),
    ...optional('cascade', cascades[take('--cascade') as keyof typeof cascades]),
  };
  const unknown = [...values.keys()].find((name) => !harmless.has(name));
  if (unknown)
    throw failure(flagUnsupported, {
      message: `The flag ${unknown} of the resource template is not known here`,
      place: { field: 'resource.flags' },
      remedies: [
        'Remove the flag, or say in the manifest what it would change',
        "Or set executor.image of workflow-controller-configmap to upstream's argoexec, which has kubectl in it",
      ],
    });
  return flags;
}
