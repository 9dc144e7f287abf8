import { matchPath } from '@tiphys/glob';
import { GoError, wrapping } from '../failure/go-error.ts';
import { mergeOptions } from '../generate/config-object.ts';
import type { GeneratorArgs, Kustomization, Patch } from '../kustomization/kustomization.ts';
import { addAnnotations, addLabels, addOnce, parseReplica, setImages, setReplicas } from './edits.ts';

/** What an edit needs to know besides the kustomization. */
export interface EditContext {
  readonly flag: (name: string) => boolean;
  readonly text: (name: string) => string;
  readonly list: (name: string) => readonly string[];
  /** The files and folders that a pattern names; throws if there are none. */
  readonly paths: (pattern: string) => Promise<readonly string[]>;
  /** The files and folders that a pattern names; may be none. */
  readonly glob: (pattern: string) => readonly string[];
  readonly log: (line: string) => void;
  /** Makes what a generator would make; throws if it can not. */
  readonly tryGenerator: (kind: 'ConfigMap' | 'Secret', args: GeneratorArgs) => Promise<void>;
}

/** Changes the fields by the arguments; false if the file stays as it is. */
type Verb = (fields: Kustomization, args: readonly string[], context: EditContext) => Promise<boolean> | boolean;

const metadataOptions = ['originAnnotations', 'transformerAnnotations', 'managedByLabel'];

function pairsOf(kind: string, args: readonly string[]): Map<string, string> {
  if (args.length === 0) throw new GoError(`must specify ${kind}`);
  return new Map(
    args.map((arg) => {
      const at = arg.indexOf(':');
      if (at === 0) throw new GoError(`invalid ${kind}: '${arg}' (need k:v pair where v may be quoted)`);
      return at < 0 ? [arg, ''] : [arg.slice(0, at), arg.slice(at + 1).replace(/^"(.*)"$/s, '$1')];
    }),
  );
}

function one(what: string, args: readonly string[]): string {
  if (args.length !== 1) throw new GoError(`must specify exactly one ${what} value`);
  return args[0] as string;
}

function optionsOf(args: readonly string[]): string[] {
  if (args.length === 0) throw new GoError('must specify a buildMetadata option');
  if (args.length > 1)
    throw new GoError(
      `too many arguments: ${goList(args)}; to provide multiple buildMetadata options, please separate options by comma`,
    );
  const options = (args[0] as string).split(',');
  for (const option of options)
    if (!metadataOptions.includes(option))
      throw new GoError(`invalid buildMetadata option: ${option}`, {
        remedies: [`Use one of ${metadataOptions.join(', ')}`],
      });
  return options;
}

const goList = (items: readonly string[]): string => `[${items.join(' ')}]`;

function removeKeys(kind: 'label' | 'annotation'): Verb {
  const field = kind === 'label' ? 'commonLabels' : 'commonAnnotations';
  return (fields, args, context) => {
    if (args.length === 0) throw new GoError(`must specify ${kind}`);
    if (args.length > 1) throw new GoError(`${kind}s must be comma-separated, with no spaces`);
    const ignore = context.flag('ignore-non-existence');
    const keys = (args[0] as string).split(',');
    for (const key of keys) if (key === '') throw new GoError(`invalid ${kind}: '' (name is empty)`);
    if (fields[field] === undefined && !ignore) throw new GoError(`${field} is not defined in kustomization file`);
    const map = new Map(fields[field]);
    for (const key of keys)
      if (!map.delete(key) && !ignore) throw new GoError(`${kind} ${key} is not defined in kustomization file`);
    fields[field] = map;
    return true;
  };
}

function addPaths(field: 'resources' | 'components' | 'transformers' | 'generators', what: string): Verb {
  return async (fields, args, context) => {
    if (args.length === 0) throw new GoError(`must specify a ${what} file`);
    const found: string[] = [];
    for (const arg of args) found.push(...(context.flag('no-verify') ? [arg] : await context.paths(arg)));
    for (const path of found)
      if (!addOnce(fields, field, path)) context.log(`${what} ${path} already in kustomization file`);
    return found.length > 0;
  };
}

function removePaths(field: 'resources' | 'transformers', what: string): Verb {
  return (fields, args) => {
    if (args.length === 0) throw new GoError(`must specify a ${what} file`);
    const list = fields[field] ?? [];
    const kept = list.filter((path) => !args.some((pattern) => matchPath(pattern, path)));
    if (kept.length === list.length) return false;
    fields[field] = kept;
    return true;
  };
}

function patchOf(context: EditContext): Patch {
  const path = context.text('path');
  const patch = context.text('patch');
  if (path && patch) throw new GoError("patch and path can't be set at the same time");
  if (!path && !patch) throw new GoError('must provide either patch or path');
  const target = Object.fromEntries(
    [
      ['group', 'group'],
      ['version', 'version'],
      ['kind', 'kind'],
      ['name', 'name'],
      ['namespace', 'namespace'],
      ['annotationSelector', 'annotation-selector'],
      ['labelSelector', 'label-selector'],
    ]
      .map(([field, flag]) => [field as string, context.text(flag as string)] as const)
      .filter(([, value]) => value !== ''),
  );
  return {
    ...(path ? { path } : {}),
    ...(patch ? { patch } : {}),
    ...(Object.keys(target).length > 0 ? { target } : {}),
  };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a, sortedKeys) === JSON.stringify(b, sortedKeys);

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function generator(field: 'configMapGenerator' | 'secretGenerator', what: string): Verb {
  return async (fields, args, context) => {
    const fail = (message: string) => new GoError(`failed to validate flags: ${message}`);
    if (args.length !== 1) throw fail('name must be specified once');
    const literals = context.list('from-literal');
    const files = context.list('from-file').flatMap((source) => expanded(source, context));
    const env = context.text('from-env-file');
    if (literals.length + files.length === 0 && !env)
      throw fail('at least from-env-file, or from-file or from-literal must be set');
    if (env && literals.length + files.length > 0)
      throw fail('from-env-file cannot be combined with from-file or from-literal');
    const name = args[0] as string;
    const namespace = context.text('namespace');
    const list = [...(fields[field] ?? [])];
    const index = list.findIndex(
      (entry) => entry.name === name && (entry.namespace || 'default') === (namespace || 'default'),
    );
    const before: GeneratorArgs = list[index] ?? { name, ...(namespace ? { namespace } : {}) };
    const hashless = context.flag('disableNameSuffixHash') ? { disableNameSuffixHash: true } : undefined;
    const options = mergeOptions(
      hashless ? { ...before.options, ...hashless } : before.options,
      fields.generatorOptions,
    );
    const behavior = context.text('behavior');
    const type = what === 'secret' && index < 0 ? context.text('type') || 'Opaque' : '';
    const entry: GeneratorArgs = {
      ...before,
      literals: [...(before.literals ?? []), ...literals],
      files: [...(before.files ?? []), ...files],
      envs: [...(before.envs ?? []), ...(env ? [env] : [])],
      ...(options ? { options } : {}),
      ...(behavior ? { behavior } : {}),
      ...(type ? { type } : {}),
    };
    await wrapping(`failed to create ${what}`, () => context.tryGenerator(kindOf[field], entry));
    if (index < 0) list.push(entry);
    else list[index] = entry;
    fields[field] = list;
    return true;
  };
}

/** The files that a pattern names, each with the key if there is one. */
function expanded(source: string, context: EditContext): string[] {
  const at = source.indexOf('=');
  const [key, pattern] = at < 0 ? ['', source] : [source.slice(0, at + 1), source.slice(at + 1)];
  const found = context.glob(pattern);
  if (found.length === 0) context.log(`${pattern} has no match`);
  if (key !== '' && found.length !== 1)
    throw new GoError(
      `failed to expand file source: 'pattern '${source}' catches files ${goList(found)}, should catch only one`,
    );
  return found.map((path) => key + path);
}

const kindOf = { configMapGenerator: 'ConfigMap', secretGenerator: 'Secret' } as const;

const sameNamespace = (a: string | undefined, b: string | undefined): boolean => (a || 'default') === (b || 'default');

/** Sets literals that are there, or the namespace. */
function setGenerator(field: 'configMapGenerator' | 'secretGenerator', what: string): Verb {
  const kind = kindOf[field];
  return async (fields, args, context) => {
    const fail = (message: string) => new GoError(`failed to validate flags: ${message}`);
    if (args.length !== 1) throw fail('name must be specified once');
    const literals = context.list('from-literal');
    const newNamespace = context.text('new-namespace');
    if (literals.length === 0 && newNamespace === '')
      throw fail('at least one of [--from-literal, --new-namespace] must be specified');
    const [name = ''] = args;
    return wrapping(`failed to create ${what}`, async () => {
      const list = [...(fields[field] ?? [])];
      const index = list.findIndex(
        (entry) => entry.name === name && sameNamespace(entry.namespace, context.text('namespace')),
      );
      const before = list[index];
      if (!before)
        throw new GoError(`could not set new ${kind} value: unable to find ${kind} with name ${JSON.stringify(name)}`, {
          evidence: { 'there are': list.map((entry) => entry.name).join(', ') || 'none' },
        });
      const options = mergeOptions(before.options, fields.generatorOptions);
      const entry: GeneratorArgs = {
        ...before,
        ...(literals.length > 0 ? { literals: setLiterals(before.literals ?? [], literals) } : {}),
        ...(newNamespace ? { namespace: newNamespace } : {}),
        ...(options ? { options } : {}),
      };
      await wrapping(`failed to validate ${kind} structure`, () => context.tryGenerator(kind, entry));
      list[index] = entry;
      fields[field] = list;
      return true;
    });
  };
}

function setLiterals(before: readonly string[], literals: readonly string[]): string[] {
  const prefix = 'failed to update literal sources';
  const split = (text: string): [string, string] => {
    const [key = '', value, ...more] = text.split('=');
    if (value === undefined || more.length > 0)
      throw new GoError(
        `${prefix}: failed to update resource: invalid format: literal values must be specified in the key=value format`,
      );
    return [key, value];
  };
  const values = new Map(before.map(split));
  for (const [key, value] of literals.map(split)) {
    if (!values.has(key)) throw new GoError(`${prefix}: key '${key}' not found in resource`);
    values.set(key, value);
  }
  return [...values].map(([key, value]) => `${key}=${value}`);
}

function removeGenerators(field: 'configMapGenerator' | 'secretGenerator', what: string): Verb {
  return (fields, args, context) => {
    if (args.length === 0) throw new GoError(`at least one ${what} name must be specified`);
    if (args.length > 1)
      throw new GoError(
        `too many arguments: ${goList(args)}; to provide multiple ${what}s to remove, please separate ${what} names by commas`,
      );
    const names = (args[0] as string).split(',');
    const goes = (entry: GeneratorArgs): boolean =>
      names.includes(entry.name ?? '') && sameNamespace(entry.namespace, context.text('namespace'));
    const list = fields[field] ?? [];
    const found = new Set(list.filter(goes).map((entry) => entry.name));
    if (found.size === 0) throw new GoError(`no specified ${what}(s) were found in the kustomization.yaml file`);
    for (const name of names) if (!found.has(name)) context.log(`${what} ${name} doesn't exist in kustomization file`);
    fields[field] = list.filter((entry) => !goes(entry));
    return true;
  };
}

const setField =
  (field: 'namespace' | 'namePrefix' | 'nameSuffix', what: string): Verb =>
  (fields, args) => {
    fields[field] = one(what, args);
    return true;
  };

/** `kustomize edit`'s verbs by their words. */
export const editVerbs: Readonly<Record<string, Verb>> = {
  'set namespace': setField('namespace', 'namespace'),
  'set nameprefix': setField('namePrefix', 'prefix'),
  'set namesuffix': setField('nameSuffix', 'suffix'),
  'set image': (fields, args) => {
    setImages(fields, args);
    return true;
  },
  'set replicas': (fields, args) => {
    if (args.length === 0) throw new GoError('no replicas specified');
    setReplicas(fields, args.map(parseReplica));
    return true;
  },
  'set label': (fields, args) => {
    addLabels(fields, pairsOf('label', args), { force: true });
    return true;
  },
  'set annotation': (fields, args) => {
    addAnnotations(fields, pairsOf('annotation', args), true);
    return true;
  },
  'set buildmetadata': (fields, args) => {
    fields.buildMetadata = optionsOf(args);
    return true;
  },
  'add label': (fields, args, context) => {
    const options = {
      force: context.flag('force'),
      withoutSelector: context.flag('without-selector'),
      includeTemplates: context.flag('include-templates'),
    };
    addLabels(fields, pairsOf('label', args), options);
    return true;
  },
  'add annotation': (fields, args, context) => {
    addAnnotations(fields, pairsOf('annotation', args), context.flag('force'));
    return true;
  },
  'add resource': addPaths('resources', 'resource'),
  'add component': addPaths('components', 'component'),
  'add transformer': addPaths('transformers', 'transformer'),
  'add generator': addPaths('generators', 'generator'),
  'add buildmetadata': (fields, args) => {
    for (const option of optionsOf(args))
      if (!addOnce(fields, 'buildMetadata', option))
        throw new GoError(`buildMetadata option ${option} already in kustomization file`);
    return true;
  },
  'add patch': (fields, _args, context) => {
    const patch = patchOf(context);
    if ((fields.patches ?? []).some((other) => same(other, patch))) {
      context.log('patch already in kustomization file');
      return false;
    }
    fields.patches = [...(fields.patches ?? []), patch];
    return true;
  },
  'add configmap': generator('configMapGenerator', 'configmap'),
  'add secret': generator('secretGenerator', 'secret'),
  'set configmap': setGenerator('configMapGenerator', 'configmap'),
  'set secret': setGenerator('secretGenerator', 'secret'),
  'remove configmap': removeGenerators('configMapGenerator', 'configmap'),
  'remove secret': removeGenerators('secretGenerator', 'secret'),
  'remove buildmetadata': (fields, args) => {
    const options = optionsOf(args);
    fields.buildMetadata = (fields.buildMetadata ?? []).filter((option) => !options.includes(option));
    return true;
  },
  'remove resource': removePaths('resources', 'resource'),
  'remove transformer': removePaths('transformers', 'transformer'),
  'remove label': removeKeys('label'),
  'remove annotation': removeKeys('annotation'),
  'remove patch': (fields, _args, context) => {
    const patch = patchOf(context);
    const kept = (fields.patches ?? []).filter((other) => !same(other, patch));
    if (kept.length === (fields.patches ?? []).length) {
      context.log('patch not found in kustomization file');
      return false;
    }
    fields.patches = kept;
    return true;
  },
};
