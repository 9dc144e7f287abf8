import { DiagnosisError, diagnosisOf, failure } from '@tiphys/diagnosis';
import { cloneUrl, type FileTree, type RemoteFile, runProgram, treeOf } from '@tiphys/kustomize';
import { renderTooCostly } from '../request/diagnoses.ts';
import type { AskedLookup } from '../request/lookups.ts';
import type { TurnRequest } from '../request/turn-request.ts';
import type {
  BuildMessage,
  BuildReply,
  BuildTask,
  BuiltKustomization,
  Call,
  CallResult,
} from '../threads/build-messages.ts';
import type { ChartRenderer } from '../threads/chart-renderer.ts';
import type { ThreadLimits } from '../threads/thread-pool.ts';
import { ThreadStopped } from '../threads/thread-pool.ts';
import type { RemoteBases } from './remote-bases.ts';

export interface BuildRequest extends Omit<BuildTask, 'kind' | 'time'>, TurnRequest {
  readonly tree: FileTree;
  readonly bases: RemoteBases;
  /** Bytes of one file. */
  readonly maxBytes: number;
  /** Takes the commit of each remote base, by address and ref. */
  readonly remotes: Record<string, string>;
  /** Takes the version of each chart that was pulled. */
  readonly charts: Record<string, string>;
  /** Takes the digest of each answer of an http(s) address. */
  readonly files: Record<string, string>;
  /** What was looked up is told here, also if the build fails. */
  readonly onLookups: (lookups: readonly AskedLookup[]) => void;
  readonly signal?: AbortSignal;
}

/** Builds kustomizations in the threads of charts: one that takes too long or too much is ended, and the process goes on. */
export class KustomizationBuilder {
  readonly #charts: ChartRenderer;
  readonly #limits: Pick<ThreadLimits, 'time' | 'memory'>;

  constructor(charts: ChartRenderer, limits: Pick<ThreadLimits, 'time' | 'memory'>) {
    this.#charts = charts;
    this.#limits = limits;
  }

  async build(request: BuildRequest): Promise<BuiltKustomization> {
    const { tree, bases, maxBytes, remotes, charts, files, onLookups, signal, caller, onWait, ...task } = request;
    const { time } = this.#limits;
    const host = new BuildHost({ tree, bases, maxBytes, remotes, charts, files, ...(signal ? { signal } : {}) });
    const reply = await this.#charts.pool
      .run<Exclude<BuildReply, { kind: 'calls' }>>(
        async (thread) => {
          const ask = (message: BuildMessage) => thread.ask(message) as Promise<BuildReply>;
          let answer = await ask({ kind: 'build', time, ...task });
          while (answer.kind === 'calls') {
            const results = await Promise.all(answer.calls.map((call) => host.answer(call)));
            signal?.throwIfAborted();
            answer = await ask({ kind: 'results', results });
          }
          return answer;
        },
        { caller, onWait, time, ...(signal ? { signal } : {}) },
      )
      .catch((error: unknown) => {
        throw error instanceof ThreadStopped ? this.#stopped(error, task.folder) : error;
      });
    onLookups(reply.lookups);
    if (reply.kind === 'built') return reply;
    throw new DiagnosisError(reply.diagnosis, { handling: reply.handling });
  }

  #stopped({ limit }: ThreadStopped, folder: string): DiagnosisError {
    const where = folder || 'at the root of the repository';
    const { time, memory } = this.#limits;
    const remedies = ['Split the kustomization, or look for charts in it that loop'];
    const place = { file: folder };
    if (limit === 'memory')
      return failure(renderTooCostly, {
        message: `The kustomization ${where} needs more than ${memory} MB to be built, and was stopped`,
        place,
        remedies,
      });
    const message = `The kustomization ${where} was not built within ${time / 1000} s, and was stopped`;
    return failure(renderTooCostly, { message, place, remedies }, { handling: 'retryable' });
  }
}

type HostParts = Pick<BuildRequest, 'tree' | 'bases' | 'maxBytes' | 'remotes' | 'charts' | 'files' | 'signal'>;

/** Answers the calls of a thread. */
class BuildHost {
  readonly #parts: HostParts;
  readonly #trees: FileTree[];

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#trees = [parts.tree];
  }

  /** What the content deserves goes back to the build, which knows the place; all else ends it. */
  async answer(call: Call): Promise<CallResult> {
    try {
      return { value: await this.#value(call) };
    } catch (error) {
      if (!(error instanceof DiagnosisError)) throw error;
      return { failed: { diagnosis: diagnosisOf(error), handling: error.handling } };
    }
  }

  async #value(call: Call): Promise<unknown> {
    switch (call.op) {
      case 'find':
        return this.#tree(call.tree).find(call.path);
      case 'link':
        return this.#tree(call.tree).link?.(call.path);
      case 'list':
        return this.#tree(call.tree).list?.(call.path);
      case 'read':
        // A copy of its own: bytes of a shared pool would be sent with all their neighbours.
        return new Uint8Array(await this.#tree(call.tree).read(call.path));
      case 'repository':
        return this.#open(JSON.stringify([cloneUrl(call.spec), call.spec.ref]));
      case 'file':
        return this.#file(call.url);
      case 'pull':
        return this.#pull(JSON.stringify(call.chart));
      default: {
        const { signal } = this.#parts;
        return runProgram({ ...call.program, ...(signal ? { signal } : {}) });
      }
    }
  }

  #tree(index: number): FileTree {
    const tree = this.#trees[index];
    if (!tree) throw new Error(`a thread asks for tree ${index} of ${this.#trees.length}`);
    return tree;
  }

  /** The number of a remote base's tree. */
  async #open(base: string): Promise<number> {
    const { bases, remotes, maxBytes } = this.#parts;
    const commit = await bases.commit(base);
    remotes[base] = commit;
    this.#trees.push(treeOf(await bases.tree(base, commit), maxBytes));
    return this.#trees.length - 1;
  }

  async #file(url: string): Promise<RemoteFile> {
    const { bases, files, maxBytes } = this.#parts;
    const { digest, file } = await bases.file(url, maxBytes);
    files[url] = digest;
    return file;
  }

  async #pull(chart: string): Promise<Uint8Array> {
    const { bases, charts } = this.#parts;
    const version = await bases.chartVersion(chart);
    charts[chart] = version;
    return new Uint8Array(await bases.chartArchive(chart, version));
  }
}
