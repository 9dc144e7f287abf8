import { arch } from 'node:process';
import { type Client, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { Access, ImageCommand, OciRegistry } from '@tiphys/registry';
import type { ImagePull } from '../../machine/index.ts';

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/**
 * Looks up in registries what images run by themselves, with the pull Secrets of the workflow and of its ServiceAccount. Images are taken to be
 * those of this process's own architecture.
 */
export class ImageRegistry {
  readonly #client: Client;
  #registry: OciRegistry | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async look(image: string, pull: ImagePull, signal: AbortSignal): Promise<ImageCommand> {
    // most workflows say what they run: nothing is loaded for them
    const {
      HttpClient,
      OciRegistry: Registry,
      imageCommand,
      imageCredentials,
      parseImageReference,
    } = await import('@tiphys/registry');
    this.#registry ??= new Registry(
      new HttpClient({ timeout: 30_000, attempts: 2, userAgent: 'tiphys (workflows; images)' }),
    );
    const reference = parseImageReference(image);
    const credentials = imageCredentials(await this.#secrets(pull, signal), reference);
    const access: Access = { ...credentials, ...(isLocal(reference.registry) ? { plainHttp: true } : {}) };
    return await imageCommand(this.#registry, reference, {
      access,
      architecture: architectures[arch] ?? arch,
      signal,
    });
  }

  async #secrets({ namespace, serviceAccount, secrets }: ImagePull, signal: AbortSignal) {
    const account = await this.#find('ServiceAccount', namespace, serviceAccount || 'default', signal);
    const own = (account?.imagePullSecrets ?? []) as { name?: string }[];
    const names = new Set([...secrets, ...own.flatMap(({ name }) => (name ? [name] : []))]);
    const texts: { name: string; text: string }[] = [];
    for (const name of names) {
      const data = ((await this.#find('Secret', namespace, name, signal))?.data ?? {}) as Record<string, string>;
      const text = data['.dockerconfigjson'] ?? data['.dockercfg'];
      if (text) texts.push({ name: `Secret ${namespace}/${name}`, text: Buffer.from(text, 'base64').toString('utf8') });
    }
    return texts;
  }

  async #find(kind: string, namespace: string, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#client.find({ apiVersion: 'v1', kind, namespace, name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** Registries of this machine speak HTTP, as for container runtimes. */
function isLocal(registry: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(registry) || /\.local(host)?(:\d+)?$/.test(registry);
}
