import { DiagnosisError, diagnosisOf, failure } from '@tiphys/diagnosis';
import type { RecordedValue } from '@tiphys/helm';
import { renderChart, renderRecorded } from '@tiphys/helm';
import type { KubeObject } from '@tiphys/kubernetes';
import { buildKustomization, type FileTree, type Found, type ProgramResult, type RemoteFile } from '@tiphys/kustomize';
import { generationKey } from '@tiphys/template';
import { tooManyObjects } from '../request/diagnoses.ts';
import { type AskedLookup, lookupKey } from '../request/lookups.ts';
import type { BuildMessage, BuildReply, BuildTask, BuiltKustomization, Call, CallResult } from './build-messages.ts';

type Post = (reply: BuildReply) => void;

/** Calls of one build to the thread that has the repositories. All that are made at once go together. */
class Host {
  readonly #post: Post;
  #queue: { call: Call; settle: PromiseWithResolvers<unknown> }[] = [];
  #sent: PromiseWithResolvers<unknown>[] | undefined;

  constructor(post: Post) {
    this.#post = post;
  }

  call(call: Call): Promise<unknown> {
    const settle = Promise.withResolvers<unknown>();
    this.#queue.push({ call, settle });
    if (this.#queue.length === 1) setImmediate(() => this.#send());
    return settle.promise;
  }

  answer(results: readonly CallResult[]): void {
    const sent = this.#sent ?? [];
    this.#sent = undefined;
    for (const [i, { value, failed }] of results.entries()) {
      if (failed) sent[i]?.reject(new DiagnosisError(failed.diagnosis, { handling: failed.handling }));
      else sent[i]?.resolve(value);
    }
    if (this.#queue.length > 0) setImmediate(() => this.#send());
  }

  #send(): void {
    if (this.#sent || this.#queue.length === 0) return;
    const queue = this.#queue;
    this.#queue = [];
    this.#sent = queue.map(({ settle }) => settle);
    this.#post({ kind: 'calls', calls: queue.map(({ call }) => call) });
  }

  tree(tree: number): FileTree {
    return {
      find: (path) => this.call({ op: 'find', tree, path }) as Promise<Found | undefined>,
      read: (path) => this.call({ op: 'read', tree, path }) as Promise<Uint8Array>,
      list: (path) => this.call({ op: 'list', tree, path }) as Promise<readonly string[]>,
      link: (path) => this.call({ op: 'link', tree, path }) as Promise<string | undefined>,
    };
  }
}

let current: Host | undefined;

/** Takes a message of the thread that has the repositories; a new build ends what was left of another one. */
export function handleBuild(message: BuildMessage, post: Post): void {
  if (message.kind === 'results') {
    current?.answer(message.results);
    return;
  }
  const host = new Host((reply) => {
    if (current === host) post(reply);
  });
  current = host;
  const asked = new Map<string, AskedLookup>();
  const lookups = () => [...asked.values()];
  build(message, host, asked).then(
    (built) => current === host && post({ kind: 'built', lookups: lookups(), ...built }),
    (error: unknown) =>
      current === host &&
      post({
        kind: 'failed',
        diagnosis: diagnosisOf(error),
        handling: error instanceof DiagnosisError ? error.handling : 'stalled',
        lookups: lookups(),
      }),
  );
}

async function build(task: BuildTask, host: Host, asked: Map<string, AskedLookup>): Promise<BuiltKustomization> {
  const used: RecordedValue[] = [];
  const fresh = new Set<string>();
  const { folder, edits, enableHelm, loadRestrictions, reorder, managedByLabel, kubeVersion, programs } = task;
  const built = await buildKustomization({
    tree: host.tree(0),
    path: `/${folder}`,
    edits,
    remotes: {
      async repository(spec) {
        return { tree: host.tree((await host.call({ op: 'repository', spec })) as number), root: '/' };
      },
      file: (url) => host.call({ op: 'file', url }) as Promise<RemoteFile>,
    },
    enableHelm,
    loadRestrictions,
    managedByLabel,
    ...(reorder ? { reorder } : {}),
    ...(programs
      ? {
          programs: {
            ...programs,
            environment: task.environment,
            run: (program) => host.call({ op: 'run', program }) as Promise<ProgramResult>,
          },
        }
      : {}),
    helm: {
      apiVersions: task.apiVersions,
      ...(kubeVersion ? { kubeVersion } : {}),
      pull: (chart) => host.call({ op: 'pull', chart }) as Promise<Uint8Array>,
      render(chart) {
        // One chart may be there several times, each with values of its own.
        const scope = `${chart.release.namespace}/${chart.release.name}:`;
        const own = task.recorded.flatMap((value) =>
          value.root.startsWith(scope) ? [{ ...value, root: value.root.slice(scope.length) }] : [],
        );
        const lookup = (wanted: AskedLookup): unknown => {
          asked.set(lookupKey(wanted), wanted);
          return task.answers.get(lookupKey(wanted)) ?? undefined;
        };
        const limits = { time: task.time };
        const recorded = renderRecorded(own, (recorder) => renderChart({ ...chart, lookup, recorder, limits }));
        for (const value of recorded.used) {
          const scoped = { ...value, root: `${scope}${value.root}` };
          used.push(scoped);
          if (recorded.fresh.has(generationKey(value))) fresh.add(generationKey(scoped));
        }
        return recorded.result;
      },
    },
  });
  if (built.resources.length > task.maxObjects)
    throw failure(tooManyObjects, {
      message: `The kustomization has more than ${task.maxObjects} objects`,
      place: { file: folder },
      remedies: ['Split the application'],
    });
  const objects = built.objects.map(({ value, origin }) => ({ object: value as unknown as KubeObject, origin }));
  return { objects, warnings: built.notices, used, fresh };
}
