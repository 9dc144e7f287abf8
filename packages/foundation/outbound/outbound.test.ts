import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { addressProblem, checkedAddresses, guarded, readOutboundPolicy, setOutboundPolicy } from './index.ts';

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
