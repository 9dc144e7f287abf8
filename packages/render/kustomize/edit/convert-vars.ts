import { GoError } from '../failure/go-error.ts';
import { gvkOf } from '../kustomization/gvk.ts';
import type { FieldOptions, Kustomization, Patch, Replacement, Selector } from '../kustomization/kustomization.ts';
import { kustomizationFileNames, parseKustomization } from '../kustomization/read-kustomization.ts';
import { encodeNode } from '../tree/encode-node.ts';
import type { Node } from '../tree/node.ts';
import { readTrees } from '../tree/read-tree.ts';

/** Files of a folder, by paths that count from it. Absent ones are undefined. */
export interface EditableFiles {
  /** Names in a folder; undefined if it is none. */
  names(folder: string): readonly string[] | undefined;
  read(path: string): string | undefined;
  write(path: string, text: string): void;
}

type Target = NonNullable<Replacement['targets']>[number];
interface Place {
  readonly fieldPath: string;
  readonly options: FieldOptions;
}

/** Replaces the vars of a kustomization by replacements, and their names in the files by placeholders. */
export function convertVars(fields: Kustomization, files: EditableFiles): void {
  if (fields.vars === undefined) return;
  const patches = new Map<string, Patch>();
  const paths = touchedFiles(fields, '', files, patches);
  const replacements: Replacement[] = [];
  for (const { name = '', objref = {}, fieldref } of fields.vars) {
    const targets = paths.flatMap((path) => targetsIn(path, name, files, patches.get(path)));
    const { group, version } = gvkOf(objref.apiVersion ?? '', '');
    replacements.push({
      source: {
        group,
        version,
        kind: objref.kind ?? '',
        name: objref.name ?? '',
        namespace: objref.namespace ?? '',
        fieldPath: fieldref?.fieldPath ?? '',
      },
      ...(targets.length > 0 ? { targets } : {}),
    });
    for (const path of paths) {
      const text = files.read(path);
      if (text?.includes(`$(${name})`)) files.write(path, text.replaceAll(`$(${name})`, `${name}_PLACEHOLDER`));
    }
  }
  fields.replacements = replacements;
  delete fields.vars;
}

function touchedFiles(
  fields: Kustomization,
  folder: string,
  files: EditableFiles,
  patches: Map<string, Patch>,
): string[] {
  const paths: string[] = [];
  for (const resource of fields.resources ?? []) {
    // As in Kustomize, bases of bases count from the folder of the command.
    const names = (files.names(resource) ?? []).filter((name) => kustomizationFileNames.includes(name as never));
    for (const name of names) {
      const text = files.read(join(resource, name));
      if (text === undefined) continue;
      paths.push(...touchedFiles(parseKustomization(text, name).fields, resource, files, patches));
    }
    paths.push(join(folder, resource));
  }
  for (const patch of fields.patches ?? []) {
    if (!patch.path) continue;
    const path = join(folder, patch.path);
    paths.push(path);
    patches.set(path, patch);
  }
  return paths;
}

/** Go's path.Join. */
function join(...parts: string[]): string {
  const kept: string[] = [];
  for (const part of parts.join('/').split('/')) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return kept.join('/');
}

function targetsIn(path: string, name: string, files: EditableFiles, patch: Patch | undefined): Target[] {
  const text = files.read(path);
  if (text === undefined) return [];
  let trees: Node[];
  try {
    trees = readTrees(text, { file: path });
  } catch (error) {
    // What is no YAML has no vars that a replacement could reach.
    if (error instanceof GoError) return [];
    throw error;
  }
  return trees.flatMap((tree) =>
    placesOf(tree, `$(${name})`, [], path).map(({ fieldPath, options }) => ({
      select: selectorOf(tree, patch),
      fieldPaths: [fieldPath],
      ...(options.delimiter === undefined ? {} : { options }),
    })),
  );
}

function placesOf(node: Node, wanted: string, path: readonly string[], file: string): Place[] {
  if (node.kind === 'list')
    return node.content.flatMap((item, i) => placesOf(item, wanted, [...path, String(i)], file));
  if (node.kind === 'map') {
    const places: Place[] = [];
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      const key = encodeNode(node.content[i] as Node).trim();
      places.push(
        ...placesOf(node.content[i + 1] as Node, wanted, [...path, key.includes('.') ? `[${key}]` : key], file),
      );
    }
    return places;
  }
  if (!node.value.includes(wanted)) return [];
  return [{ fieldPath: path.join('.'), options: optionsFor(node.value, wanted, file) }];
}

/** How a replacement finds the part of a value that the var was. */
function optionsFor(value: string, wanted: string, file: string): FieldOptions {
  if (value === wanted) return {};
  const at = value.indexOf(wanted);
  const end = at + wanted.length;
  if (at === 0) return { delimiter: value[end] as string };
  const before = value[at - 1] as string;
  const parts = value.split(before);
  if (end >= value.length) return { delimiter: before, index: parts.length - 1 };
  if (before !== value[end])
    throw new GoError(`error with ${file}: cannot convert all vars to replacements; ${wanted} is not delimited`, {
      place: { file },
      evidence: { value },
      remedies: ['Put the same character on both sides of the var, or replace it by hand'],
    });
  return { delimiter: before, index: parts.indexOf(wanted) };
}

function selectorOf(tree: Node, patch: Patch | undefined): Selector {
  const metadata = tree.get('metadata');
  const name = metadata?.get('name')?.value ?? '';
  const namespace = metadata?.get('namespace')?.value ?? '';
  const kind = tree.get('kind')?.value ?? '';
  if (patch && !(patch.options?.allowNameChange && patch.options.allowKindChange))
    return {
      ...patch.target,
      ...(patch.options?.allowNameChange ? { name } : {}),
      ...(patch.options?.allowKindChange ? { kind } : {}),
      ...(namespace ? { namespace } : {}),
    };
  const { group, version } = gvkOf(tree.get('apiVersion')?.value ?? '', kind);
  return { group, version, kind, name, namespace };
}
