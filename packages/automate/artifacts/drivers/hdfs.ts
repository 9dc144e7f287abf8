import type { Readable } from 'node:stream';
import { DiagnosisError } from '@tiphys/diagnosis';
import { broken, invalid, type Subject } from '../model/failures.ts';
import { type Settings, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { type Answer, Exchange } from '../wire/exchange.ts';
import { below, encodedKey } from '../wire/paths.ts';

/** Ports on which name nodes take Hadoop's own protocol, and where WebHDFS is then. */
const nativePorts = new Set(['8020', '9000']);
const webPort = '9870';

/** A file of HDFS, by WebHDFS. */
export class HdfsStore implements ArtifactStore {
  readonly kind = 'hdfs';
  readonly #nodes: readonly URL[];
  readonly #path: string;
  readonly #user: string;
  readonly #exchange: Exchange;

  constructor(settings: Settings, access: ArtifactAccess) {
    const kerberos = ['krbCCacheSecret', 'krbKeytabSecret'].find((field) => settings[field]);
    if (kerberos)
      throw invalid(
        `hdfs.${kerberos}`,
        'HDFS is reached by WebHDFS with the name of a user, not by Kerberos',
        'Set hdfs.hdfsUser, put a gateway such as Knox in front of it, or use the executor image of Argo Workflows',
      );
    const { env, signal } = access;
    this.#nodes = ((settings['addresses'] ?? []) as string[]).map(nodeUrl);
    if (this.#nodes.length === 0)
      throw invalid('hdfs.addresses', 'The location names no name node', 'Set hdfs.addresses');
    this.#path = text(settings, 'path');
    if (!this.#path.startsWith('/'))
      throw invalid('hdfs.path', 'The path of the file is not absolute', 'Let hdfs.path begin with /');
    this.#user = text(settings, 'hdfsUser');
    if (!this.#user) throw invalid('hdfs.hdfsUser', 'The location names no user', 'Set hdfs.hdfsUser');
    this.#exchange = new Exchange({ ...(env ? { env } : {}), ...(signal ? { signal } : {}) });
  }

  async read(file?: string): Promise<Readable> {
    return (await this.#ask('GET', 'OPEN', below(this.#path, file))).body;
  }

  async write(content: Readable, { file, size }: WriteOptions = {}): Promise<void> {
    const path = below(this.#path, file);
    // the name node says which data node takes the content; it is sent to that one alone
    const answer = await this.#ask('PUT', 'CREATE', path, { overwrite: 'true', noredirect: 'true' });
    const said = await answer.text();
    const location = answer.header('location') ?? locationOf(said);
    if (!location) throw broken(this.#subject(path), new Error('the name node names no data node'));
    const sent = await this.#exchange.send({
      method: 'PUT',
      url: location,
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
      ...(size === undefined ? {} : { size }),
      subject: this.#subject(path),
    });
    sent.body.resume();
  }

  async *files(): AsyncIterable<string> {
    yield* this.#filesOf('');
  }

  async *#filesOf(folder: string): AsyncIterable<string> {
    const at = folder ? below(this.#path, folder) : this.#path;
    const answer = await this.#ask('GET', 'LISTSTATUS', at, {}, [404]);
    if (answer.status === 404) return void answer.body.resume();
    const { FileStatuses } = JSON.parse(await answer.text()) as {
      FileStatuses: { FileStatus: { pathSuffix: string; type: string }[] };
    };
    for (const { pathSuffix, type } of FileStatuses.FileStatus) {
      // a file tells itself as a list of one without a name
      if (!pathSuffix) continue;
      const path = folder ? `${folder}/${pathSuffix}` : pathSuffix;
      if (type === 'DIRECTORY') yield* this.#filesOf(path);
      else yield path;
    }
  }

  async remove(): Promise<void> {
    const recursive = String(this.#path.endsWith('/'));
    (await this.#ask('DELETE', 'DELETE', this.#path.replace(/\/$/, ''), { recursive })).body.resume();
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  /** Of several name nodes one is active; the others refuse, or are away. */
  async #ask(
    method: 'GET' | 'PUT' | 'DELETE',
    op: string,
    path: string,
    query: Record<string, string> = {},
    accepts: number[] = [],
  ): Promise<Answer> {
    let failed: unknown;
    for (const node of this.#nodes) {
      const url = new URL(`/webhdfs/v1${encodedKey(path)}`, node);
      for (const [name, value] of Object.entries({ op, 'user.name': this.#user, ...query }))
        url.searchParams.set(name, value);
      const subject = { ...this.#subject(path), remote: node.origin };
      try {
        return await this.#exchange.send({
          method,
          url: url.href,
          subject,
          accepts: method === 'PUT' ? [307, ...accepts] : accepts,
        });
      } catch (error) {
        if (!(error instanceof DiagnosisError) || !isOtherNodes(error)) throw error;
        failed = error;
      }
    }
    throw failed;
  }

  #subject(path: string): Subject {
    return { what: `the file ${path}`, remote: this.#nodes[0]?.origin ?? '' };
  }
}

function isOtherNodes({ diagnosis }: DiagnosisError): boolean {
  const said = diagnosis.evidence.find(({ name }) => name === 'answer')?.value ?? '';
  return said.includes('StandbyException') || (diagnosis.code === 'ArtifactStoreFailed' && said === '');
}

/** Addresses are those of Hadoop's own protocol, which name nodes offer beside WebHDFS. */
function nodeUrl(address: string): URL {
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw invalid('hdfs.addresses', `The address ${address} is no HOST:PORT`, 'Write HOST:PORT of the name node');
  if (nativePorts.has(url.port) || (url.port === '' && !address.includes('://'))) url.port = webPort;
  return url;
}

function locationOf(json: string): string | undefined {
  try {
    return (JSON.parse(json) as { Location?: string }).Location;
  } catch {
    return undefined;
  }
}
