import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJson, goString, struct } from '../decode/go-json.ts';
import { GoError, wrapped } from '../failure/go-error.ts';
import type { Programs } from '../program/programs.ts';
import { runProgram } from '../program/run-program.ts';
import type { Resource } from '../resource/resource.ts';
import { toValue } from '../tree/to-value.ts';
import { type ExternalPlugin, readOutput } from './external-plugin.ts';
import type { PluginConfig } from './plugin-config.ts';
import { shellWords } from './shell-words.ts';

const argsType = struct('argsConfig', { argsOneLiner: goString, argsFromFile: goString });
const maxVariable = 131_071;

/** A program in the folder of plugins of this machine: `HOME/group/version/kind/Kind`. */
export function execPluginPath(resource: Resource, { environment }: Programs): string {
  const { group, version, kind } = resource.originalId;
  const path = join(pluginHome(environment), group, version, kind.toLowerCase(), kind);
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) {
    const isGo = statSync(`${path}.so`, { throwIfNoEntry: false }) !== undefined;
    throw new GoError(
      isGo ? `the Go plugin ${path}.so can not be loaded` : `expected file with Go object code at: ${path}.so`,
      { remedies: [`Put a program at ${path}: plugins of Go object code can not be loaded here`] },
    );
  }
  if ((file.mode & 0o111) === 0)
    throw new GoError(`unexecutable plugin at: ${path}`, { remedies: [`chmod +x ${path}`] });
  return path;
}

function pluginHome(env: Readonly<Record<string, string>>): string {
  const home = env.HOME || '~';
  const tried: [string, string][] = [
    ['homed in $KUSTOMIZE_PLUGIN_HOME', env.KUSTOMIZE_PLUGIN_HOME ?? ''],
    ['homed in $XDG_CONFIG_HOME', env.XDG_CONFIG_HOME ? join(env.XDG_CONFIG_HOME, 'kustomize', 'plugin') : ''],
    ['homed in default value of $XDG_CONFIG_HOME', join(home, '.config', 'kustomize', 'plugin')],
    ['homed in home directory', join(home, 'kustomize', 'plugin')],
  ];
  const found = tried.find(([, path]) => path !== '' && statSync(path, { throwIfNoEntry: false }));
  if (found) return found[1];
  const words = tried.map(([note, path]) => `('${path || '<no value>'}'; ${note})`);
  throw new GoError(`unable to find plugin root - tried: ${words.join(', ')}`, {
    remedies: ['Set KUSTOMIZE_PLUGIN_HOME to the folder that has the plugins'],
  });
}

/** A program that gets its configuration as a file, and resources as text on standard input. */
export async function execPlugin(path: string, config: PluginConfig, programs: Programs): Promise<ExternalPlugin> {
  const text = config.resource.asYaml();
  const args = await argsOf(config);
  return {
    name: path,
    async run(resources) {
      const { folders, environment, limits, signal, run = runProgram } = programs;
      const { loader } = config;
      const file = join(folders.temporary, `kust-plugin-config-${Math.trunc(performance.now() * 1000)}`);
      writeFileSync(file, text, { mode: 0o600 });
      const folder = await folders.folderOf(loader.tree, loader.root);
      const env: Record<string, string> = { ...environment };
      for (const [name, value] of [
        ['KUSTOMIZE_PLUGIN_CONFIG_STRING', text],
        ['KUSTOMIZE_PLUGIN_CONFIG_ROOT', folder],
      ] as const)
        if (name.length + 1 + Buffer.byteLength(value) <= maxVariable) env[name] = value;
      const input = resources ? resources.map((resource) => resource.asYaml()).join('---\n') : '';
      const more = { ...(limits ? { limits } : {}), ...(signal ? { signal } : {}) };
      const result = await run({ path, args: [file, ...args], env, folder, input, ...more });
      if (result.failed !== undefined) {
        const message = `${result.error}: failure in plugin configured via ${file}; ${result.failed}`;
        throw new GoError(resources ? `${message} ` : message, {
          evidence: { program: path },
          remedies: ['Look at what the program says, and at its configuration'],
        });
      }
      return readOutput(result.output, config);
    },
  };
}

async function argsOf({ resource, loader }: PluginConfig): Promise<string[]> {
  const { argsOneLiner, argsFromFile } = decodeJson<{ argsOneLiner?: string; argsFromFile?: string }>(
    toValue(resource.node),
    argsType,
    { strict: false, lenientStrings: true },
  );
  let args: string[] = [];
  if (argsOneLiner) {
    try {
      args = shellWords(argsOneLiner);
    } catch (error) {
      throw wrapped(error, 'failed to parse argsOneLiner');
    }
  }
  if (!argsFromFile) return args;
  const lines = Buffer.from(await loader.load(argsFromFile))
    .toString('utf8')
    .split('\n');
  return [...args, ...lines.map((line) => line.replace(/^ +/, '')).filter((line) => line !== '')];
}
