import { existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FlagError, type FlagTable, parseFlags } from '@tiphys/helm';
import { buildKustomization } from '../build/build.ts';
import { printKustomization } from '../edit/kustomization-document.ts';
import { GoError, wrapped, wrapping } from '../failure/go-error.ts';
import { KustomizeError } from '../failure/kustomize-error.ts';
import { isInside, joinPath } from '../load/file-tree.ts';
import { Loader } from '../load/loader.ts';
import { localTree } from '../load/local-tree.ts';
import { parseRepoSpec } from '../load/repo-spec.ts';
import { relativePath } from '../localize/local-paths.ts';
import { Localizer } from '../localize/localizer.ts';
import { type KustomizeSurroundings, report } from './build-command.ts';

const flags: FlagTable = {
  scope: { type: 'text' },
  'no-verify': { type: 'bool' },
  'stack-trace': { type: 'ignored-bool' },
  help: { type: 'bool', short: 'h' },
};

const usage = `Makes a copy of a kustomization in which all that it names lies beside it.

Usage:
  tiphys kustomize localize [target [destination]] [flags]

Flags:
      --no-verify      Do not build both and compare
      --scope string   Folder that all local references of the target stay in; the target if not given
`;

/** Runs `kustomize localize`; resolves to its exit code. */
export async function localizeCommand(argv: readonly string[], surroundings: KustomizeSurroundings): Promise<number> {
  const { out, error: print } = surroundings;
  try {
    const { args, flag, text } = parseFlags(argv, flags);
    if (flag('help')) {
      out(usage);
      return 0;
    }
    if (args.length > 2) throw new FlagError(`accepts at most 2 arg(s), received ${args.length}`);
    const target = args[0] ?? '.';
    const { destination, built } = await localize(target, args[1] ?? '', text('scope'), surroundings);
    if (!flag('no-verify')) {
      const [before, after] = [await yamlOf(target, surroundings), await yamlOf(built, surroundings)];
      const same = before === after ? 'the same' : 'different';
      const verdict = before === after ? 'SUCCESS' : 'FAILED';
      print(
        `VERIFICATION ${verdict}: \`kustomize build\` for ${target} and ${destination} are ${same} after localization.\n`,
      );
      if (before !== after) return 1;
    }
    print(`SUCCESS: localized ${JSON.stringify(target)} to directory ${destination}\n`);
    return 0;
  } catch (error) {
    return report(error instanceof GoError ? new KustomizeError(error) : error, surroundings);
  }
}

async function localize(
  target: string,
  newFolder: string,
  scopeFlag: string,
  { workdir, remotes }: KustomizeSurroundings,
): Promise<{ destination: string; built: string }> {
  const spec = parseRepoSpec(target);
  const remote = !('problem' in spec);
  if (remote && spec.ref === '')
    throw new GoError(`localize remote root "${target}" missing ref query string parameter`);
  const context = { remotes, maxDepth: 100 };
  const loader = await wrapping(`unable to establish localize target "${target}"`, () =>
    remote
      ? Loader.atRepository(spec, context)
      : Loader.at(localTree(), resolve(workdir, target), context, { restricted: true, shownPath: target }),
  );
  const scope = await wrapping(`invalid localize scope "${scopeFlag}"`, () =>
    scopeOf(loader, target, scopeFlag, workdir),
  );
  const shown = newFolder || defaultName(loader);
  const destination = resolve(workdir, shown);
  wrappingSync(`invalid localize destination "${newFolder}"`, () => makeFolder(destination, shown));
  const root = realpathSync(destination);
  const folder = joinPath('/', relativePath(scope, loader.root));
  const localizer = new Localizer({
    loader,
    folder,
    files: {
      write(path, data) {
        const at = join(root, path);
        mkdirSync(dirname(at), { recursive: true });
        writeFileSync(at, data);
      },
      has: (path) => existsSync(join(root, path)),
    },
    bounds: remote ? undefined : { scope, destination: root },
    print: printKustomization,
  });
  mkdirSync(join(root, folder), { recursive: true });
  try {
    await localizer.localize();
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    throw wrapped(error, `unable to localize target "${target}"`);
  }
  return { destination: root, built: join(root, folder) };
}

function wrappingSync(prefix: string, body: () => void): void {
  try {
    body();
  } catch (error) {
    throw wrapped(error, prefix);
  }
}

function scopeOf(loader: Loader, target: string, flag: string, workdir: string): string {
  if (loader.repository) {
    if (flag) throw new GoError(`scope "${flag}" specified for remote localize target "${target}"`);
    return loader.repositoryFolder;
  }
  if (flag === '') return loader.root;
  const path = resolve(workdir, flag);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new GoError(`unable to establish localize scope: '${flag}' is no folder`);
  const scope = realpathSync(path);
  if (isInside(loader.root, scope)) return scope;
  throw new GoError(`localize scope "${flag}" does not contain target "${target}" at "${loader.root}"`);
}

function defaultName(loader: Loader): string {
  const { repository, root, repositoryFolder } = loader;
  if (!repository) return ['localized', ...(root === '/' ? [] : [basename(root)])].join('-');
  const name = root === repositoryFolder ? basename(repository.repoPath.replace(/(?<!\/)\/+$/, '')) : basename(root);
  return `localized-${name}-${repository.ref.replaceAll('/', '-')}`;
}

function makeFolder(path: string, shown: string): void {
  if (existsSync(path)) throw new GoError(`localize destination "${shown}" already exists`);
  if (!existsSync(dirname(path)))
    throw new GoError(`unable to create localize destination directory: mkdir ${shown}: no such file or directory`, {
      remedies: ['Name a new folder in a folder that is there'],
    });
  mkdirSync(path);
}

async function yamlOf(path: string, { workdir, remotes, error }: KustomizeSurroundings): Promise<string> {
  const remote = !('problem' in parseRepoSpec(path));
  const built = await buildKustomization({
    tree: localTree(),
    path: remote ? path : resolve(workdir, path),
    shownPath: path,
    warn: (line) => error(`${line}\n`),
    ...(remotes ? { remotes } : {}),
  });
  return built.yaml;
}
