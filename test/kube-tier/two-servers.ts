import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, loadKubeconfig } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';

/** What is done in a namespace of its own; what comes of it is compared. */
export type Scenario = (client: Client, namespace: string) => Promise<unknown>;

export interface Comparison {
  readonly title: string;
  /** Of the names of the namespaces. */
  readonly prefix: string;
  /** Takes out of a result, as text, what differs between any two runs; times are gone already. */
  readonly scrub?: (text: string) => string;
}

/**
 * Declares that each scenario ends alike in the sandbox, with its controllers, and in the real cluster of
 * TIPHYS_TEST_KUBECONFIG; both are asked at once. Skipped without that cluster.
 */
export function compareServers(
  { title, prefix, scrub = (text) => text }: Comparison,
  scenarios: Readonly<Record<string, Scenario>>,
): void {
  const file = process.env.TIPHYS_TEST_KUBECONFIG ?? '';
  describe(title, { skip: !file }, () => {
    let sandbox: Sandbox;
    let clients: Client[];
    before(async () => {
      sandbox = await startSandbox({ nodes: 0 });
      const caller = { component: 'test', purpose: 'compare controllers' };
      const configs = [sandbox.config, loadKubeconfig(readFileSync(file, 'utf8'))];
      clients = configs.map((config) => connect(config, { caller }));
    });
    after(async () => {
      await Promise.all(clients.map((client) => client.close()));
      await sandbox.close();
    });

    for (const [name, scenario] of Object.entries(scenarios))
      test(name, async () => {
        const namespace = `${prefix}-${Date.now().toString(36)}`;
        const [ours, theirs] = await Promise.all(
          clients.map(async (client) => {
            await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
            const result = await scenario(client, namespace);
            await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
            return JSON.parse(scrub(JSON.stringify(result).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'))) as unknown;
          }),
        );
        assert.deepEqual(ours, theirs);
      });
  });
}
