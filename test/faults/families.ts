import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '@tiphys/controller';
import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startEvents } from '../../packages/automate/events/index.ts';
import { startWorkflowsFamily } from '../../packages/automate/workflows/family.ts';
import { startRolloutsFamily } from '../../packages/progress/rollouts/run/family.ts';
import { freePort } from '../../scripts/testing/free-ports.ts';
import { TestRepository } from '../e2e/support/repository.ts';

export const argo = 'argoproj.io/v1alpha1';

/** An object without apiVersion and namespace, which the stage adds. */
export interface Draft {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: object; readonly labels?: object };
  readonly [field: string]: unknown;
}

/** A fault of a family beside Applications: what is created, what the object must show, and what mends it. */
export interface FamilyFault {
  /** Of the catalogue of failures, or the code. */
  readonly id: string;
  readonly title: string;
  readonly objects: readonly Draft[] | ((hosts: Hosts) => readonly Draft[]);
  /** `Kind/name` of the object that must tell of it. */
  readonly of: string;
  /** A merge patch of that object, once it is healthy, that brings the fault. */
  readonly then?: object;
  /** Labels of the namespace that limit what may run in it. */
  readonly limit?: Readonly<Record<string, string>>;
  /** Brings the fault once the object is running. */
  readonly act?: (stage: FamilyStage, hosts: Hosts) => Promise<unknown>;
  /** Code of a diagnosis in its status, or that a Workflow is explained with; absent where the kind has conditions and messages alone. */
  readonly code?: string;
  /** What its status must say, in any of its parts. */
  readonly contains: readonly RegExp[];
  readonly excludes?: readonly RegExp[];
  /** Ends the fault; the status must say nothing of it afterwards. Absent where the object is over, as a failed Workflow is. */
  readonly mend?: (stage: FamilyStage, hosts: Hosts) => Promise<unknown>;
}

export interface FamilyStage {
  readonly client: Client;
  readonly namespace: string;
  create(draft: Draft): Promise<unknown>;
  patch(of: string, patch: object, subresource?: string): Promise<unknown>;
}

/** Servers of loopback that the faults talk to. */
export interface Hosts {
  /** Answers 401 to all. */
  readonly refusing: string;
  /** Answers 503 to all. */
  readonly failing: string;
  /** Answers a rate of 0.7 to all. */
  readonly measured: string;
  /** A free port. */
  readonly port: number;
  /** The repository of that name, empty when it is first asked for. */
  repository(name: string): TestRepository;
}

export async function startHosts(): Promise<Hosts & { close(): void }> {
  const servers = await Promise.all(
    [401, 503, 200].map(async (status) => {
      const body = status === 200 ? '{"rate":0.7}' : 'no';
      const server = createServer((_request, response) => void response.writeHead(status).end(body));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const [refusing = '', failing = '', measured = ''] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  const repositories = new Map<string, TestRepository>();
  return {
    refusing,
    failing,
    measured,
    port: await freePort(),
    repository: (name) => {
      const repository = repositories.get(name) ?? new TestRepository();
      repositories.set(name, repository);
      return repository;
    },
    close: () => {
      for (const repository of repositories.values()) repository.remove();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Starts Events, Rollouts and Workflows in this process. */
export async function startFamilies(client: Client): Promise<{ errors: string[]; close(): Promise<void> }> {
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-families-'));
  const abort = new AbortController();
  const errors: string[] = [];
  const shared = {
    client,
    clock: systemClock,
    signal: abort.signal,
    onError: (key: string, error: unknown) => void errors.push(`${key}: ${String(error)}`),
    env: {},
    host: '127.0.0.1',
    scratch,
  };
  for (const name of ['argo-events', 'argo-rollouts', 'argo'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const runtimes: Runtime[] = [
    await startEvents({
      ...shared,
      namespace: 'argo-events',
      sandbox: true,
      // as on a cluster: what runs for an object has the rights of its service account
      env: { TIPHYS_EVENTS_IMPERSONATE: 'true' },
    }),
    await startRolloutsFamily({ ...shared, namespace: 'argo-rollouts' }),
    // started and awaited: the faults need its definitions
    await startWorkflowsFamily({
      executorImage: 'tiphys',
      ...shared,
      namespace: 'argo',
      sandbox: false,
      simulated: true,
    }),
  ];
  return {
    errors,
    async close() {
      for (const runtime of runtimes) await runtime.close();
      abort.abort(new Error('the tests are over'));
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

export function familyStage(client: Client, namespace: string): FamilyStage {
  return {
    client,
    namespace,
    create: (draft) =>
      client.create({
        apiVersion: argo,
        ...draft,
        metadata: { ...draft.metadata, ...(draft.kind.endsWith('WebhookConfiguration') ? {} : { namespace }) },
      } as KubeObject),
    patch: (of, patch, subresource) => {
      const [kind = '', name = ''] = of.split('/');
      const ref = { apiVersion: kind === 'Service' ? 'v1' : argo, kind, namespace, name };
      return client.patch(ref, 'merge', patch, subresource ? { subresource } : {});
    },
  };
}

/** Gives a service account of a namespace all rights in it. */
export const allRights = (account: string, namespace: string): Draft => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: `all-of-${account}` },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
});
