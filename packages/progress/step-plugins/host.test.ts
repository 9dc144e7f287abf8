import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { ProcessPluginHost } from './host.ts';
import { type ConfiguredPlugin, type PluginKind, parsePlugins } from './process/plugin-config.ts';
import { bringPlugin } from './process/plugin-file.ts';
import { parseGreeting } from './process/plugin-process.ts';

const folderOf = () => mkdtemp(join(tmpdir(), 'tiphys-plugins-'));
const signal = new AbortController().signal;
const configured = (kind: PluginKind, name: string, location: string, extra = {}): ConfiguredPlugin => ({
  kind,
  name,
  location,
  protocol: 'go-plugin',
  sha256: '',
  disabled: false,
  args: [],
  headerSecrets: [],
  ...extra,
});

test('the lists of argo-rollouts-config, and what they may not say', () => {
  const data = new Map([
    ['stepPlugins', '[{"name": "org/step", "location": "file://./x", "disabled": true, "args": ["-v"]}]'],
    [
      'metricProviderPlugins',
      '[{"name": "org/m", "location": "https://x/y", "sha256": "ab", "headersFrom": [{"secretRef": {"name": "s"}}]}]',
    ],
  ]);
  const parse = (text: string) => (text === '' ? null : JSON.parse(text));
  assert.deepEqual(parsePlugins(data, parse), [
    configured('metric', 'org/m', 'https://x/y', { sha256: 'ab', headerSecrets: ['s'] }),
    configured('step', 'org/step', 'file://./x', { disabled: true, args: ['-v'] }),
  ]);
  const refused = (item: object) => () => parsePlugins(new Map([['stepPlugins', JSON.stringify([item])]]), parse);
  assert.throws(refused({ name: 'step', location: 'file://x' }), /must be in the format of <namespace>\/<name>/);
  assert.throws(refused({ name: '../../etc/x', location: 'file://x' }), /must be in the format/);
  assert.throws(refused({ name: 'a/b', location: 'ftp://x' }), /plugin location must be of http\(s\) or file scheme/);
  assert.throws(
    refused({ name: 'a/b', location: 'http://x', protocol: 'grpc' }),
    /protocol must be one of go-plugin, http/,
  );
  assert.throws(refused({ name: 'a/b', location: 'file://x', protocol: 'http' }), /has a URL as its location/);
  assert.throws(() => parsePlugins(new Map([['stepPlugins', '{}']]), parse), /is not a list of plugins/);
});

test('a download is kept only with the right checksum', async () => {
  const program = Buffer.from('#!/bin/sh\nexit 3\n');
  const server = createServer((request, response) => {
    response.writeHead(request.headers.authorization === 'Bearer t' ? 200 : 401, { connection: 'close' });
    response.end(program);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await folderOf();
  try {
    const location = `http://127.0.0.1:${(server.address() as AddressInfo).port}/p`;
    const sha256 = createHash('sha256').update(program).digest('hex');
    const headers = { authorization: 'Bearer t' };
    const file = await bringPlugin(configured('step', 'org/p', location, { sha256 }), { folder, headers, signal });
    assert.deepEqual(await readFile(file), program);
    await assert.rejects(
      bringPlugin(configured('step', 'org/q', location, { sha256: '0'.repeat(64) }), { folder, headers, signal }),
      /sha256 hash of downloaded plugin .* does not match expected hash/,
    );
    assert.equal(existsSync(join(folder, 'org/q')), false);
    await assert.rejects(
      bringPlugin(configured('step', 'org/r', location), { folder, headers: {}, signal }),
      /failed to download plugin org\/r .*response code 401/,
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  }
});

test('greetings of other protocols are refused by name', () => {
  assert.deepEqual(parseGreeting('1|1|unix|/tmp/p|netrpc|'), { network: 'unix', address: '/tmp/p' });
  assert.throws(() => parseGreeting('hello'), /does not greet as go-plugin does/);
  assert.throws(() => parseGreeting('1|2|unix|/tmp/p|netrpc|'), /version 2 of its protocol/);
  assert.throws(() => parseGreeting('1|1|unix|/tmp/p|grpc|'), /speaks grpc/);
});

function hostOf(folder: string, plugins: ConfiguredPlugin[]): ProcessPluginHost {
  return new ProcessPluginHost({ plugins, folder, environment: process.env, signal, headersOf: async () => ({}) });
}

test('a program that is no plugin is told with the end of its log; one that is not configured by name', async () => {
  const folder = await folderOf();
  try {
    const script = join(folder, 'script');
    await writeFile(script, '#!/bin/sh\necho "cannot do that" >&2\nexit 3\n');
    const host = hostOf(folder, [
      configured('step', 'org/s', `file://${script}`),
      configured('step', 'org/off', 'file:///nowhere', { disabled: true }),
    ]);
    await host.prepare();
    await assert.rejects(host.step('org/s'), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError);
      assert.match(
        error.message,
        /unable to get plugin client \(org\/s\): the plugin ended with code 3 before it greeted/,
      );
      assert.match(JSON.stringify(error.diagnosis.evidence), /cannot do that/);
      return true;
    });
    await assert.rejects(host.step('org/none'), /plugin org\/none not configured in configmap/);
    assert.equal((await host.step('org/off')).enabled, false);
    await host.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Programs that were built from upstream's samples: `go build ./test/cmd/...` in a checkout of argo-rollouts. */
const samples = process.env.ROLLOUTS_PLUGIN_SAMPLES ?? '';
const skip =
  samples === '' ? 'ROLLOUTS_PLUGIN_SAMPLES names no folder with the built sample plugins of argo-rollouts' : false;

async function withSample(
  kind: PluginKind,
  program: string,
  body: (host: ProcessPluginHost) => Promise<void>,
): Promise<void> {
  const folder = await folderOf();
  const host = hostOf(folder, [configured(kind, 'org/sample', `file://${join(samples, program)}`)]);
  try {
    await host.prepare();
    await body(host);
  } finally {
    await host.close();
    await rm(folder, { recursive: true });
  }
}

test("upstream's step plugin runs, keeps its state with us, and is aborted", { skip }, () =>
  withSample('step', 'step-plugin-sample', async (host) => {
    const rollout = JSON.parse(await readFile(join(import.meta.dirname, 'testdata', 'rollout.json'), 'utf8'));
    const plugin = await host.step('org/sample');
    const context = { pluginName: 'org/sample', config: { async: true, aggregate: false }, status: undefined };
    const first = await plugin.run(rollout, context);
    assert.equal(first.phase, 'Running');
    assert.ok(first.status);
    const second = await plugin.run(rollout, { ...context, status: first.status });
    assert.equal(second.phase, 'Running');
    const again = await host.step('org/sample');
    assert.equal((await again.abort(rollout, { ...context, status: first.status })).phase, 'Successful');
  }),
);

test("upstream's metric plugin measures, with its errors as measurements", { skip }, () =>
  withSample('metric', 'metrics-plugin-sample', async (host) => {
    const plugin = await host.metric('org/sample');
    const run = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: { name: 'r' },
      spec: { metrics: [] },
    };
    const metric = {
      name: 'm',
      provider: { plugin: { 'argoproj/sample-prometheus': { address: 'http://127.0.0.1:1', query: 'up' } } },
    };
    const measurement = await plugin.run(run, metric);
    assert.equal(measurement.phase, 'Error');
    assert.match(String(measurement.message), /failed to run via plugin: .*127\.0\.0\.1:1/);
    assert.deepEqual(await plugin.metadata(metric), { ResolvedPrometheusQuery: 'up' });
  }),
);
