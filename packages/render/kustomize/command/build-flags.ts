import { FlagError, type FlagTable, parseFlags } from '@tiphys/helm';
import type { ProgramOptions } from '../program/programs.ts';

const flags: FlagTable = {
  output: { type: 'text', short: 'o' },
  'load-restrictor': { type: 'text' },
  reorder: { type: 'text', deprecated: "use the new 'sortOptions' field in kustomization.yaml instead." },
  'enable-managedby-label': {
    type: 'bool',
    deprecated:
      'The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field instead.',
  },
  'enable-helm': { type: 'bool' },
  'helm-command': { type: 'text' },
  'helm-api-versions': { type: 'list' },
  'helm-kube-version': { type: 'text' },
  'helm-debug': { type: 'ignored-bool' },
  'enable-alpha-plugins': { type: 'bool' },
  'enable-exec': { type: 'bool' },
  network: { type: 'bool' },
  'network-name': { type: 'ignored-text' },
  mount: { type: 'list' },
  env: { type: 'list', short: 'e' },
  'as-current-user': { type: 'bool' },
  'stack-trace': { type: 'ignored-bool' },
  explain: { type: 'bool' },
  help: { type: 'bool', short: 'h' },
};

const helmCommandUnused = 'Flag --helm-command is not used: charts are rendered in process, as Helm 4 does\n';

/** What the flags of `kustomize build` ask for. */
export interface BuildFlags {
  /** The folder, or the address of a repository. */
  readonly path: string;
  /** Empty for standard output. */
  readonly output: string;
  readonly loadRestrictions: 'rootOnly' | 'none';
  /** Absent if not given. */
  readonly reorder?: 'legacy' | 'none';
  readonly managedByLabel: boolean;
  readonly enableHelm: boolean;
  readonly helmApiVersions: readonly string[];
  /** Empty if not given. */
  readonly helmKubeVersion: string;
  /** Absent if no program may run. */
  readonly programs?: Omit<ProgramOptions, 'environment'>;
  readonly explain: boolean;
  readonly help: boolean;
  /** Lines of standard error about flags that are deprecated or not used. */
  readonly deprecations: readonly string[];
}

/** Reads the flags of `kustomize build`. Throws FlagError in its words. */
export function parseBuildFlags(argv: readonly string[]): BuildFlags {
  const parsed = parseFlags(argv, flags);
  const { args, flag, text, list, has, deprecations } = parsed;
  if (args.length > 1) throw new FlagError('specify one path to kustomization.yaml');
  const restrictor = text('load-restrictor') || 'LoadRestrictionsRootOnly';
  legal('load-restrictor', restrictor, ['LoadRestrictionsRootOnly', 'LoadRestrictionsNone']);
  const reorder = text('reorder') || 'legacy';
  legal('reorder', reorder, ['legacy', 'none']);
  const plugins = flag('enable-alpha-plugins');
  return {
    path: args[0] ?? '.',
    output: text('output'),
    loadRestrictions: restrictor === 'LoadRestrictionsNone' ? 'none' : 'rootOnly',
    ...(has('reorder') ? { reorder: reorder as 'legacy' | 'none' } : {}),
    managedByLabel: flag('enable-managedby-label'),
    enableHelm: flag('enable-helm') || plugins,
    helmApiVersions: list('helm-api-versions'),
    helmKubeVersion: text('helm-kube-version'),
    ...(plugins
      ? {
          programs: {
            exec: flag('enable-exec'),
            network: flag('network'),
            mounts: list('mount'),
            env: list('env'),
            asCurrentUser: flag('as-current-user'),
          },
        }
      : {}),
    explain: flag('explain'),
    help: flag('help'),
    deprecations: [...deprecations, ...(text('helm-command').replace(/^helm$/, '') ? [helmCommandUnused] : [])],
  };
}

function legal(flag: string, value: string, values: readonly string[]): void {
  if (!values.includes(value))
    throw new FlagError(`illegal flag value --${flag} ${value}; legal values: [${values.join(' ')}]`);
}
