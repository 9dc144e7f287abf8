import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { explainWorkflow } from '@tiphys/workflows';
import { freePort } from '../../../../scripts/testing/free-ports.ts';
import { HttpClient } from './http-client.ts';

async function served(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failureOf(t: TestContext, url: string, signal = new AbortController().signal): Promise<string> {
  const client = new HttpClient();
  t.after(() => client.close());
  const asked = client.send({ method: 'GET', url, headers: [], body: '', insecure: false, signal });
  const told = await asked.then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
  assert.doesNotMatch(told, /MARKER/);
  return told;
}

test('a request to a port where nothing listens names the hop, and keeps what may be secret', async (t) => {
  const port = await freePort();
  const told = await failureOf(t, `http://user:MARKER@127.0.0.1:${port}/hook?token=MARKER`);
  assert.equal(
    told,
    `GET http://127.0.0.1:${port}/hook got no answer (TCP): nothing listens at 127.0.0.1:${port} (ECONNREFUSED)`,
  );
});

test('a redirect to a dead port names who redirects', async (t) => {
  const port = await freePort();
  const host = await served(t, (_, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
  );
  const told = await failureOf(t, `http://${host}/first`);
  assert.match(
    told,
    new RegExp(`^GET http://127.0.0.1:${port}/, where http://${host}/first redirects to got no answer`),
  );
});

test('a host that speaks no TLS, one that hangs up and one that is silent are told apart', async (t) => {
  const plain = await served(t, (_, response) => void response.end());
  assert.match(await failureOf(t, `https://${plain}/`), /got no answer \(TLS\): \S+ speaks no TLS/);
  const rude = await served(t, (_, response) => void response.socket?.destroy());
  assert.match(await failureOf(t, `http://${rude}/`), /got no answer \(HTTP\): \S+ closed the connection before/);
  const silent = await served(t, () => undefined);
  const until = AbortSignal.timeout(20);
  assert.match(await failureOf(t, `http://${silent}/`, until), /did not answer within timeoutSeconds of the template/);
});

test('a workflow whose request got no answer is explained by the hop', () => {
  const message = 'GET http://h:1/ got no answer (TCP): nothing listens at h:1 (ECONNREFUSED)';
  const node = { id: 'n', name: 'w', displayName: 'w', type: 'HTTP', phase: 'Failed', message, templateName: 'ask' };
  const workflow = {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'w', namespace: 'n' } },
    spec: { templates: [{ name: 'ask', http: { url: 'http://h:1/' } }] },
    status: { phase: 'Failed', message, nodes: { n: node } },
  };
  const [told, ...more] = explainWorkflow(workflow as never);
  assert.deepEqual(more, []);
  assert.equal(told?.code, 'WorkflowRequestUnanswered');
  assert.equal(told?.place?.field, 'spec.templates[name=ask].http.url');
  assert.match(told?.remedies[0]?.text ?? '', /^Start what is to listen there/);
});
