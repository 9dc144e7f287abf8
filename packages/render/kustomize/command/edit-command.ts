import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FlagTable, parseFlags } from '@tiphys/helm';
import { buildKustomization } from '../build/build.ts';
import { convertVars, type EditableFiles } from '../edit/convert-vars.ts';
import { editVerbs } from '../edit/edit-verbs.ts';
import { KustomizationDocument } from '../edit/kustomization-document.ts';
import { GoError, goMessageOf } from '../failure/go-error.ts';
import { KustomizeError } from '../failure/kustomize-error.ts';
import { makeConfigObject } from '../generate/config-object.ts';
import { kustomizationFileNames } from '../kustomization/read-kustomization.ts';
import { Loader } from '../load/loader.ts';
import { localTree } from '../load/local-tree.ts';
import { parseRepoSpec } from '../load/repo-spec.ts';
import { Scopes } from '../resource/cluster-scope.ts';
import { type KustomizeSurroundings, report } from './build-command.ts';

const flags: FlagTable = {
  force: { type: 'bool', short: 'f' },
  'without-selector': { type: 'bool' },
  'include-templates': { type: 'bool' },
  'no-verify': { type: 'bool' },
  'ignore-non-existence': { type: 'bool', short: 'i' },
  path: { type: 'text' },
  patch: { type: 'text' },
  group: { type: 'text' },
  version: { type: 'text' },
  kind: { type: 'text' },
  name: { type: 'text' },
  namespace: { type: 'text' },
  'annotation-selector': { type: 'text' },
  'label-selector': { type: 'text' },
  'from-literal': { type: 'list' },
  'from-file': { type: 'csv' },
  'from-env-file': { type: 'text' },
  disableNameSuffixHash: { type: 'bool' },
  behavior: { type: 'text' },
  type: { type: 'text' },
  'new-namespace': { type: 'text' },
  vars: { type: 'bool' },
  'stack-trace': { type: 'ignored-bool' },
  help: { type: 'bool', short: 'h' },
};

const usage = `Edits the kustomization file of the current folder; comments and the order of fields stay.

Usage:
${Object.keys(editVerbs)
  .map((verb) => `  tiphys kustomize edit ${verb} …\n`)
  .join('')}  tiphys kustomize edit fix
`;

/** Runs `kustomize edit …` in the working folder; resolves to its exit code. */
export async function editCommand(argv: readonly string[], surroundings: KustomizeSurroundings): Promise<number> {
  try {
    const { args, flag, text, list } = parseFlags(argv, flags);
    if (flag('help') || args.length === 0) {
      surroundings.out(usage);
      return 0;
    }
    if (args[0] === 'fix') return await fix(surroundings, flag('vars'));
    const words = args.slice(0, 2).join(' ');
    const verb = Object.hasOwn(editVerbs, words) ? editVerbs[words] : undefined;
    if (!verb)
      throw new GoError(`unknown command ${JSON.stringify(words)} for "kustomize edit"`, {
        remedies: [`Known are: ${Object.keys(editVerbs).join(', ')}, fix`],
      });
    const file = fileOf(surroundings.workdir);
    const document = new KustomizationDocument(readFileSync(join(surroundings.workdir, file), 'utf8'), file);
    const changed = await verb(document.fields, args.slice(2), {
      flag,
      text,
      list,
      glob: (pattern) => globSync(pattern, { cwd: surroundings.workdir }).sort(),
      paths: (pattern) => pathsOf(pattern, surroundings.workdir, file),
      log: (line) => surroundings.error(`${line}\n`),
      tryGenerator: async (kind, generator) => {
        const loader = await Loader.at(
          localTree(),
          surroundings.workdir,
          { remotes: undefined, maxDepth: 1 },
          { restricted: true },
        );
        const stamp = { origin: { file }, line: 1 };
        await makeConfigObject(kind, generator, { loader, scopes: new Scopes(), stamp });
      },
    });
    if (changed) writeFileSync(join(surroundings.workdir, file), document.toString());
    return 0;
  } catch (error) {
    return report(error instanceof GoError ? new KustomizeError(error) : error, surroundings);
  }
}

function fileOf(folder: string): string {
  const found = kustomizationFileNames.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1) throw new GoError(`Found multiple kustomization file: [${found.join(' ')}]\n`);
  if (!found[0])
    throw new GoError("Missing kustomization file 'kustomization.yaml'.\n", {
      remedies: ['Run it in the folder that has the kustomization'],
    });
  return found[0];
}

/** The files and folders that a pattern names, or the address that it is; throws if there is nothing. */
export async function pathsOf(pattern: string, folder: string, kustomization: string): Promise<readonly string[]> {
  const found = globSync(pattern, { cwd: folder }).filter((path) => !/^\./.test(path.split('/').at(-1) ?? ''));
  if (found.length > 0 || existsSync(join(folder, pattern)))
    return (found.length > 0 ? found.sort() : [pattern]).filter((path) => path !== kustomization);
  if (!('problem' in parseRepoSpec(pattern))) return [pattern];
  const path = join(folder, pattern);
  throw new GoError(
    `${pattern} has no match: must build at directory: not a valid directory: evalsymlink failure on '${path}' : lstat ${path}: no such file or directory`,
    { remedies: ['Correct the path, or add it as it is with --no-verify'] },
  );
}

const fixed = `
Fixed fields:
  patchesJson6902 -> patches
  patchesStrategicMerge -> patches
  commonLabels -> labels
`;

const fixedVars = `${fixed}  vars -> replacements
`;

const unfixedVars = `${fixed}
To convert vars -> replacements, run the command \`kustomize edit fix --vars\`

WARNING: Converting vars to replacements will potentially overwrite many resource files 
and the resulting files may not produce the same output when \`kustomize build\` is run. 
We recommend doing this in a clean git repository where the change is easy to undo.
`;

/** Moves what deprecated fields say to their successors. */
async function fix(surroundings: KustomizeSurroundings, vars: boolean): Promise<number> {
  const { workdir, out, error: print } = surroundings;
  const file = fileOf(workdir);
  const path = join(workdir, file);
  const before = await outputOf(workdir, print);
  const document = new KustomizationDocument(readFileSync(path, 'utf8'), file);
  const { fields } = document;
  const inline = (fields.patchesStrategicMerge ?? []).map((patch) =>
    existsSync(join(workdir, patch)) ? { path: patch } : { patch },
  );
  const patches = [...(fields.patches ?? []), ...(fields.patchesJson6902 ?? []), ...inline];
  if (patches.length > 0) fields.patches = patches;
  delete fields.patchesJson6902;
  delete fields.patchesStrategicMerge;
  const { commonLabels } = fields;
  if (commonLabels?.size) {
    for (const label of fields.labels ?? [])
      for (const key of label.pairs?.keys() ?? [])
        if (commonLabels.has(key)) throw new GoError(`label name '${key}' exists in both commonLabels and labels`);
    fields.labels = [...(fields.labels ?? []), { pairs: commonLabels, includeSelectors: true }];
    delete fields.commonLabels;
  }
  if (vars) convertVars(fields, editableFiles(workdir));
  out(vars ? fixedVars : unfixedVars);
  writeFileSync(path, document.toString());
  const after = await outputOf(workdir, print);
  if (after.failed !== undefined)
    out(`Warning: 'Fixed' kustomization now produces the error when running \`kustomize build\`: ${after.failed}\n`);
  else if (after.yaml !== before.yaml)
    out(
      `Warning: 'Fixed' kustomization now produces different output when running \`kustomize build\`:\n...${after.yaml}...\n`,
    );
  return 0;
}

function editableFiles(workdir: string): EditableFiles {
  const known = <T>(body: () => T): T | undefined => {
    try {
      return body();
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  };
  return {
    names: (folder) => known(() => readdirSync(join(workdir, folder))),
    read: (path) => known(() => readFileSync(join(workdir, path), 'utf8')),
    write: (path, text) => writeFileSync(join(workdir, path), text),
  };
}

async function outputOf(
  folder: string,
  print: (text: string) => void,
): Promise<{ readonly yaml: string; readonly failed?: string }> {
  try {
    return await buildKustomization({ tree: localTree(), path: folder, warn: (line) => print(`${line}\n`) });
  } catch (error) {
    return { yaml: '', failed: goMessageOf(error) };
  }
}
