import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Surroundings } from '../terminal/command-context.ts';

/** `tiphys plugin-server`: a plugin.yaml on a unix socket, as argocd-cmp-server serves it. */
export function addPluginServerCommand(program: Command, { env, output, signal, workdir }: Surroundings): void {
  program
    .command('plugin-server')
    .description('Serve a config-management plugin on a unix socket, in the place of argocd-cmp-server')
    .option(
      '--config-dir-path <dir>',
      'Folder of plugin.yaml, or of folders that have one',
      '/home/argocd/cmp-server/config',
    )
    .option('--socket-dir <dir>', 'Where the sockets are made (ARGOCD_PLUGINSOCKFILEPATH)')
    .action(async (options: { configDirPath: string; socketDir?: string }) => {
      const { defaultSocketFolder, readPluginFolder, startPluginServer } = await import('@tiphys/plugin');
      const socketFolder = resolve(workdir, options.socketDir ?? env.ARGOCD_PLUGINSOCKFILEPATH ?? defaultSocketFolder);
      const configs = await readPluginFolder(resolve(workdir, options.configDirPath));
      const servers = [];
      try {
        for (const config of configs) {
          const server = await startPluginServer({
            config,
            socketFolder,
            environment: env,
            ...(env.ARGOCD_CMP_WORKDIR ? { workFolder: resolve(env.ARGOCD_CMP_WORKDIR, '_cmp_server') } : {}),
            log: (line) => output.error(line),
          });
          servers.push(server);
          output.out(`serving ${server.socket}`);
        }
        await new Promise<void>((done) => {
          if (signal.aborted) done();
          signal.addEventListener('abort', () => done(), { once: true });
        });
      } finally {
        await Promise.all(servers.map((server) => server.close()));
      }
    });
}
