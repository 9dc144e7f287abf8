import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ClusterConfig } from '@tiphys/kubernetes';
import { allCases } from './all-cases.ts';
import { type Answer, runCase } from './run-case.ts';
import { startWebhookServer } from './webhook-server.ts';

/** Answers of a real kube-apiserver 1.34.4 without controllers, by case; written by record.ts. */
export const recordedFile = new URL('./recorded.json.gz', import.meta.url);

/**
 * Declares the suite: every request of every case must be answered as the real kube-apiserver has answered it. The
 * server must be fresh, with no controllers that change what the cases make.
 */
export function conformance(title: string, connect: () => Promise<ClusterConfig>): void {
  const recorded = JSON.parse(gunzipSync(readFileSync(recordedFile)).toString()) as Record<string, Answer[]>;
  describe(title, () => {
    const webhooks = startWebhookServer();
    after(async () => (await webhooks).close());
    for (const testCase of allCases) {
      it(`answers ${testCase.name} as kube-apiserver does`, async () => {
        const answers = await runCase(await connect(), testCase, places(await webhooks));
        const expected = recorded[testCase.name] ?? [];
        assert.equal(answers.length, expected.length, 'the case has changed: record it again');
        for (const [index, answer] of answers.entries())
          assert.deepEqual(answer, expected[index], `step ${index}: ${answer.request}`);
      });
    }
  });
}

/** What the cases call `{webhook}`, `{ca}` and `{other}`. */
export function places({ url, ca, other }: { url: string; ca: string; other: string }): Record<string, string> {
  return { webhook: url, ca, other };
}
