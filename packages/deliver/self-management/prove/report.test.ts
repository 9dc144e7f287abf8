import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { type CandidateReport, readReport, writeReport } from './report.ts';

/** A client that knows one ConfigMap. */
function clientOf(object: Partial<KubeObject>): Client {
  const client: Pick<Client, 'find' | 'patch'> = {
    find: async () => object as never,
    patch: async (_ref, _type, body) => Object.assign(object, body) as never,
  };
  return client as Client;
}
const report: CandidateReport = {
  version: '1',
  number: 1,
  rounds: 0,
  compared: 0,
  of: 0,
  problems: [],
  needs: [],
  port: 0,
  decisions: { 'a/b': { revisions: 'r', digest: 'd', words: 'Synced' } },
};

test('a report is read as it was written', async () => {
  const client = clientOf({});
  assert.equal(await readReport(client, 'argocd'), undefined);
  await writeReport(client, 'argocd', report);
  assert.deepEqual(await readReport(client, 'argocd'), report);
});

test('decisions that no ConfigMap holds are a problem that is told', async () => {
  const client = clientOf({});
  const words = () => randomBytes(400_000).toString('hex');
  const decisions = Object.fromEntries(
    ['a', 'b', 'c'].map((key) => [key, { revisions: '', digest: '', words: words() }]),
  );
  await writeReport(client, 'argocd', { ...report, of: 3, decisions });
  const stored = await readReport(client, 'argocd');
  assert.deepEqual(stored?.decisions, {});
  assert.deepEqual(
    stored?.problems.map(({ code }) => code),
    ['SelfReportTooLarge'],
  );
});

test('what is no report is none', async () => {
  for (const text of ['', 'x', Buffer.from('x').toString('base64')])
    assert.equal(await readReport(clientOf({ binaryData: { report: text } }), 'argocd'), undefined);
});
