import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';

const cluster = await startSandbox({ controllers: false, nodes: 0 });
const client = connect(cluster.config, { caller: { component: 'test', purpose: 'metrics' } });
after(async () => {
  await client.close();
  await cluster.close();
});

test('/metrics counts requests and objects under the names of kube-apiserver', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' } };
  await client.create(secret);
  await assert.rejects(client.create(secret));
  await client.request('GET', '/api/v1/namespaces/default/endpoints');
  await assert.rejects(client.request('GET', '/api/v1/made-up/x'));
  const text = await (await client.request('GET', '/metrics')).text();
  const has = (line: string) => assert.ok(text.includes(line), `${line} in ${text}`);
  const create =
    'component="apiserver",group="",resource="secrets",scope="resource",subresource="",verb="POST",version="v1"';
  has(`apiserver_request_total{code="201",${create}} 1`);
  has(`apiserver_request_total{code="409",${create}} 1`);
  has(`apiserver_request_duration_seconds_count{${create}} 2`);
  has(`apiserver_request_sli_duration_seconds_count{${create}} 2`);
  assert.doesNotMatch(text, /sli_duration_seconds_bucket\{.*le="0.005"/);
  has('apiserver_current_inflight_requests{request_kind="mutating"} 0');
  assert.match(text, /^kubernetes_build_info\{.*git_version="v1\.34\.\d+"/m);
  has(
    'apiserver_requested_deprecated_apis{group="",removed_release="",resource="endpoints",subresource="",version="v1"} 1',
  );
  has('apiserver_storage_objects{resource="secrets"} 1');
  has('apiserver_storage_objects{resource="deployments.apps"} 0');
  assert.doesNotMatch(text, /made-up/);
  assert.match(text, /^process_resident_memory_bytes \d+$/m);
});

test('/metrics/slis tells the result of every check, and DELETE begins to count anew', async () => {
  const slis = await (await client.request('GET', '/metrics/slis')).text();
  assert.match(slis, /^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m);
  assert.match(slis, /^kubernetes_healthchecks_total\{name="ping",status="success",type="livez"\} 1$/m);
  const reset = await client.request('DELETE', '/metrics');
  assert.equal(await reset.text(), 'metrics reset\n');
  const text = await (await client.request('GET', '/metrics')).text();
  assert.doesNotMatch(text, /apiserver_request_total\{.*secrets/);
});
