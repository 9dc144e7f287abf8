import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PasswordHashes } from './password-hashes.ts';

test('passwords are hashed with ten rounds, as by Argo CD, unless others are asked for', async () => {
  assert.match(await new PasswordHashes().make('secret'), /^\$2[ab]\$10\$.{53}$/);
  assert.match(await new PasswordHashes(4).make('secret'), /^\$2[ab]\$04\$.{53}$/);
});

test('a password matches its own hash alone, whatever the cost of that, and nothing where there is none', async () => {
  const hashes = new PasswordHashes();
  const kept = await new PasswordHashes(4).make('secret');
  assert.equal(await hashes.match('secret', kept), true);
  assert.equal(await hashes.match('Secret', kept), false);
  assert.equal(await new PasswordHashes(4).match('secret', undefined), false);
  assert.equal(await new PasswordHashes(4).match('secret', ''), false);
});
