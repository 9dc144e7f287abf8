import assert from 'node:assert/strict';
import { systemClock } from '@tiphys/kubernetes';
import { Inbox } from '../../bus/testing/contract.ts';
import type { RefusedSender } from '../../trouble/diagnoses.ts';
import { HttpRoutes } from '../http-routes.ts';
import type { SourceContext } from '../source.ts';
import { sourceTypes } from '../source-types.ts';

export interface StartedSource {
  /** The data of the events that it dispatched. */
  readonly inbox: Inbox;
  /** Ids that it gave to them, undefined where it left that to the bus. */
  readonly ids: (string | undefined)[];
  /** What no event could be made of. */
  readonly failures: unknown[];
  /** Who was refused since somebody was accepted. */
  readonly refusedSenders: readonly RefusedSender[];
  close(): Promise<void>;
}

/**
 * Runs one event of a type until the test closes it. Resolves when it listens; rejects if it cannot. The first `refusals` events are
 * not taken by the bus; what the source waits before it tries such a one again is over at once.
 */
export async function startSource(
  kind: string,
  spec: object,
  secrets: Readonly<Record<string, string>> = {},
  refusals = 0,
): Promise<StartedSource> {
  const inbox = new Inbox();
  const stop = new AbortController();
  const failures: unknown[] = [];
  const refusedSenders: RefusedSender[] = [];
  const ids: (string | undefined)[] = [];
  let refused = 0;
  const keys = { secret: async ({ key }: { key: string }) => secrets[key] ?? '', configMap: async () => '' };
  const context = {
    namespace: 'ns',
    sourceName: 'source',
    eventName: 'event',
    spec,
    keys,
    clock: {
      ...systemClock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (refused === 0 || refused > refusals) await systemClock.sleep(ms, signal);
      },
    },
    random: () => 0,
    log: () => undefined,
    http: new HttpRoutes('127.0.0.1'),
    signal: stop.signal,
    dispatch: async (data: string, { id }: { id?: string } = {}) => {
      if (refused++ < refusals) throw new Error('the bus is away');
      ids.push(id);
      inbox.add(data);
    },
    failed: (error: unknown) => failures.push(error),
    refused: (sender: RefusedSender) => refusedSenders.push(sender),
    accepted: () => refusedSenders.splice(0),
  } as unknown as SourceContext;
  const { listen, problem } = (await sourceTypes.get(kind)?.load()) ?? assert.fail(kind);
  assert.equal(problem(spec as never), undefined);
  const heard = Promise.withResolvers<void>();
  const running = listen(context as never, heard.resolve);
  running.catch(heard.reject);
  await heard.promise;
  return {
    inbox,
    ids,
    failures,
    refusedSenders,
    async close() {
      stop.abort();
      await running.catch(() => undefined);
    },
  };
}
