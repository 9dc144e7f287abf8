import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { basename, dirname, join } from 'node:path';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { loadArtifactServices } from '@tiphys/api';

/** An artifact driver that keeps artifacts as files, in the folder that their configuration names. Its argument is the socket to listen at. */
const [socket = ''] = process.argv.slice(2);
const { artifact } = await loadArtifactServices();

function placeOf(wanted: { plugin?: { key: string; configuration: string } | undefined } | undefined): string {
  const { key = '', configuration = '' } = wanted?.plugin ?? {};
  // one name for one artifact: what is left can be counted
  return join(configuration, key.replaceAll('/', '_'));
}

const handler = connectNodeAdapter({
  routes: (router) =>
    router.service(artifact, {
      load: async ({ inputArtifact, path }) => {
        cpSync(placeOf(inputArtifact), path, { recursive: true });
        return { success: true };
      },
      save: async ({ outputArtifact, path }) => {
        const to = placeOf(outputArtifact);
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, readFileSync(path));
        return { success: true };
      },
      delete: async ({ artifact: wanted }) => {
        rmSync(placeOf(wanted), { recursive: true });
        return { success: true };
      },
    }),
});
// its path may be longer than one of a socket can be
process.chdir(dirname(socket));
createServer(handler).listen(basename(socket));
