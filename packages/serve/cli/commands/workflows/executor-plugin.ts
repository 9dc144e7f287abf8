import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';

/** `tiphys workflows executor-plugin build`. */
export function addExecutorPlugin(workflows: Command, { output, workdir }: Surroundings): void {
  workflows
    .command('executor-plugin')
    .description('Plugins of the executor')
    .command('build <folder>')
    .description('Make the ConfigMap and the README of a plugin, of its plugin.yaml and its server.*')
    .action(async (folder: string) => {
      const { builtPlugin, isGenerated, VerbError } = await import('@tiphys/workflows');
      const read = (name: string) => {
        const file = join(folder, name);
        return { file, text: readFileSync(resolve(workdir, file), 'utf8') };
      };
      const servers = readdirSync(resolve(workdir, folder)).filter((name) => name.startsWith('server.'));
      if (servers.length > 1)
        throw new VerbError(`${folder} has several files server.*, of which one can run: ${servers.sort().join(', ')}`);
      const [server] = servers;
      const { configMap, readme } = builtPlugin(read('plugin.yaml'), server === undefined ? undefined : read(server));
      const readmePath = resolve(workdir, folder, readme.file);
      const isOwn = existsSync(readmePath) && !isGenerated(readFileSync(readmePath, 'utf8'));
      for (const { file, text } of isOwn ? [configMap] : [configMap, readme]) {
        writeFileSync(resolve(workdir, folder, file), text);
        output.out(`${join(folder, file)} created`);
      }
      if (isOwn) output.error(`${join(folder, readme.file)} is left as it is: it was written by hand`);
    });
}
