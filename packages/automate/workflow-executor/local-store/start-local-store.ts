import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { privateFolder, writePrivate } from '@tiphys/files';
import { guardedServer } from '@tiphys/inbound';
import { LocalObjects } from './local-objects.ts';
import { answerLocalStore } from './local-store-requests.ts';

export interface LocalStore {
  /** `artifactRepository` of an installation whose artifacts are kept here. */
  readonly repository: { readonly s3: { readonly endpoint: string; readonly bucket: string; readonly insecure: true } };
  close(): Promise<void>;
}

const fileName = 'store.json';

/** What is found again at the next start: workflows of before name it. */
interface Kept {
  readonly bucket: string;
  readonly port: number;
}

/** `repository` of the store that is kept in a folder; undefined as long as none was started there. */
export function localRepository(folder: string): LocalStore['repository'] | undefined {
  const kept = keptIn(folder);
  return kept && repositoryAt(kept);
}

function keptIn(folder: string): Kept | undefined {
  const file = join(folder, fileName);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
}

function repositoryAt({ bucket, port }: Kept): LocalStore['repository'] {
  return { s3: { endpoint: `127.0.0.1:${port}`, bucket, insecure: true } };
}

/**
 * Keeps artifacts of workflows in a folder and serves them at a port of this machine, as S3. There are no users: anyone who knows the bucket,
 * whose name nobody can guess, may read and write it.
 */
export async function startLocalStore(folder: string): Promise<LocalStore> {
  privateFolder(folder);
  const kept = keptIn(folder);
  const bucket = kept?.bucket ?? `artifacts-${randomBytes(16).toString('hex')}`;
  const objects = new LocalObjects(join(folder, 'objects'));
  const server = guardedServer((request, answer) => void answerLocalStore(request, answer, { bucket, objects }));
  const port = await listen(server, kept?.port);
  writePrivate(join(folder, fileName), JSON.stringify({ bucket, port } satisfies Kept));
  return {
    repository: repositoryAt({ bucket, port }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      objects.close();
    },
  };
}

/** At the port of before where it is free. */
async function listen(server: Server, wanted = 0): Promise<number> {
  for (const port of [wanted, 0]) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port === 0) throw error;
    }
  }
  throw new Error('no port is free on this machine');
}
