import assert from 'node:assert/strict';
import dns from 'node:dns';
import { createServer, type RequestListener, request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import {
  addressProblem,
  checkedAddresses,
  checkHosts,
  GuardedAgent,
  guarded,
  guardedDispatcher,
  isProxied,
  readOutboundPolicy,
  setOutboundPolicy,
  trustHosts,
} from './index.ts';

const all = { loopback: true, private: true };
const none = { loopback: false, private: false };

test('addressProblem() refuses link-local, unspecified, multicast and metadata addresses in every spelling', () => {
  for (const address of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    'fe80::1',
    'fe80::1%eth0',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '100.100.100.200',
    'fd00:ec2::254',
    'localhost',
    '',
  ])
    assert.ok(addressProblem(address, all), address);
});

test('addressProblem() refuses loopback and private addresses unless they are allowed', () => {
  for (const address of [
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '::ffff:127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    'fd12::1',
  ]) {
    assert.ok(addressProblem(address, none), address);
    assert.equal(addressProblem(address, all), undefined, address);
  }
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111'])
    assert.equal(addressProblem(address, none), undefined);
});

test('readOutboundPolicy() reads words, and refuses those that are none', () => {
  assert.deepEqual(readOutboundPolicy(undefined, none), none);
  assert.deepEqual(readOutboundPolicy('loopback,private', none), all);
  assert.deepEqual(readOutboundPolicy('public', all), none);
  assert.throws(() => readOutboundPolicy('loopbak', all), /the word "loopbak"/);
});

test('guarded() checks the address that is connected to', async (t) => {
  const server = createServer((_, response) => response.end('secret'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (url: string) =>
    new Promise<number>((resolve, reject) => {
      const call = request(url, { ...guarded(url, false), agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      call.on('error', reject);
      call.end();
    });
  t.after(() => setOutboundPolicy(all));
  assert.equal(await ask(`http://localhost:${port}/`), 200);
  setOutboundPolicy(none);
  for (const host of ['localhost', '127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0'])
    await assert.rejects(async () => ask(`http://${host}:${port}/`), DiagnosisError, host);
  await assert.rejects(checkedAddresses('localhost'), DiagnosisError);
  await assert.rejects(checkedAddresses('169.254.169.254'), DiagnosisError);
  assert.deepEqual(await checkedAddresses('1.1.1.1'), ['1.1.1.1']);
});

async function served(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('guardedDispatcher() follows no redirect to an address that is refused, and no name that leads there', async (t) => {
  const { fetch } = await import('undici');
  const port = await served(t, (call, response) => {
    const to = new URL(call.url ?? '/', 'http://x').searchParams.get('to');
    response.writeHead(to ? 302 : 200, to ? { location: to } : {}).end('here');
  });
  const dispatcher = await guardedDispatcher({ env: {} });
  t.after(() => dispatcher.destroy());
  const ask = async (url: string) => (await fetch(url, { dispatcher })).text();
  const home = `http://127.0.0.1:${port}/`;
  assert.equal(await ask(home), 'here');
  assert.equal(await ask(`http://localhost:${port}/?to=${home}`), 'here');
  for (const to of [
    'http://169.254.169.254/latest',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://0/',
  ])
    await assert.rejects(ask(`${home}?to=${encodeURIComponent(to)}`), (error: Error) => {
      assert.ok(error.cause instanceof DiagnosisError, `${to}: ${error.cause}`);
      return true;
    });
});

test('a name is looked up once for each connection: what it means a moment later is of no account', async (t) => {
  const port = await served(t, (_, response) => response.end('here'));
  const lookups: string[] = [];
  let answers = ['127.0.0.1', '169.254.169.254'];
  t.mock.method(dns, 'lookup', ((host: string, _options: object, done: (...args: unknown[]) => void) => {
    lookups.push(host);
    done(null, [{ address: answers.shift() ?? '169.254.169.254', family: 4 }]);
  }) as never);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const { fetch } = await import('undici');
  const dispatcher = await guardedDispatcher({ env: {} });
  t.after(() => dispatcher.destroy());
  assert.equal(await (await fetch(`http://rebinding.example:${port}/`, { dispatcher })).text(), 'here');
  assert.deepEqual(lookups, ['rebinding.example']);
  const agent = new GuardedAgent();
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const call = request(`http://rebinding.example:${port}/`, { agent }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      call.on('error', reject).end();
    });
  await assert.rejects(ask(), DiagnosisError);
  answers = ['127.0.0.1'];
  assert.equal(await ask(), 200);
  assert.equal(lookups.length, 3);
  await assert.rejects(
    new Promise((_, reject) => request('http://169.254.169.254/', { agent }).on('error', reject).end()),
    DiagnosisError,
  );
});

test('checkHosts() finds the hosts of what clients of brokers take', async () => {
  for (const text of [
    'amqp://user:p@169.254.169.254:5672/vhost',
    'good.invalid:9092,169.254.169.254:9092',
    '[fe80::1]:6379',
    'tcp://0.0.0.0',
    '169.254.169.254',
    'mqtt://a@b@169.254.169.254',
    '::',
  ])
    await assert.rejects(checkHosts(text), DiagnosisError, text);
  await checkHosts('127.0.0.1:9092,redis://localhost:6379/0,no-such-host.invalid');
});

test('isProxied() reads NO_PROXY, for what is exempt connects by itself', () => {
  const env = {
    HTTP_PROXY: 'http://proxy:3128',
    HTTPS_PROXY: '',
    NO_PROXY: 'internal, .corp.example,10.1.2.3,one:8080',
  };
  assert.ok(isProxied('http://example.com', env));
  for (const url of [
    'https://example.com',
    'http://internal',
    'http://a.corp.example/x',
    'http://10.1.2.3',
    'http://one:8080',
  ])
    assert.ok(!isProxied(url, env), url);
  assert.ok(isProxied('http://one:80', env));
  assert.ok(!isProxied('http://example.com', { ...env, NO_PROXY: '*' }));
});

test('hosts that an administrator has registered may be of this machine, but never link-local', async (t) => {
  t.after(() => {
    setOutboundPolicy(all);
    trustHosts(() => new Set());
  });
  setOutboundPolicy(none);
  trustHosts(() => new Set(['localhost', '169.254.169.254']));
  assert.ok((await checkedAddresses('localhost')).length > 0);
  await assert.rejects(checkedAddresses('127.0.0.1'), DiagnosisError, 'it is its name that is registered');
  await assert.rejects(checkedAddresses('169.254.169.254'), DiagnosisError);
});
