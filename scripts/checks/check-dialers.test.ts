import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialerBreaches } from './check-dialers.ts';

const lines = (text: string) => dialerBreaches('a.ts', text).map((breach) => breach.split(':')[1]);

test('connections beside the one dialer are found', () => {
  assert.deepEqual(lines("import { request } from 'node:https';"), ['1']);
  assert.deepEqual(lines("import type { Socket } from 'node:net';\nimport { connect as open } from 'node:net';"), [
    '2',
  ]);
  assert.deepEqual(lines("const a = await import('undici');"), ['1']);
  assert.deepEqual(lines('\nawait fetch(url);'), ['2']);
  assert.deepEqual(lines("import { Redis } from 'ioredis';"), ['1']);
});

test('servers, types and those who go through it are not', () => {
  assert.deepEqual(
    lines("import { createServer, type Agent } from 'node:http';\nimport { isIP } from 'node:net';"),
    [],
  );
  assert.deepEqual(lines("import { checkHosts } from '@tiphys/outbound';\nimport { Redis } from 'ioredis';"), []);
  assert.deepEqual(lines('const run = (fetch: (url: string) => void) => fetch(url);'), []);
});
