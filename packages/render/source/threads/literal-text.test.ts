import assert from 'node:assert/strict';
import { test } from 'node:test';
import { literalText, otherValue } from './literal-text.ts';

test('text around generated values is literal, also where a value is too short to be found or was hashed', () => {
  assert.deepEqual(literalText('user=abcdefgh;port=1', ['abcdefgh'], 'user=bcdefghi;port=1', ['bcdefghi']), [
    'user=',
    ';port=1',
  ]);
  assert.deepEqual(literalText('password: "D" # end of it', [], 'password: "E" # end of it', []), [
    'passwor',
    'end of it',
  ]);
  const [hash, other] = ['3f0a11c2', '3e9b22d1'].map((part) => part.repeat(8)) as [string, string];
  assert.deepEqual(literalText(`sha256:${hash}`, [], `sha256:${other}`, []), ['sha2', '']);
  assert.equal(literalText('a-x-b', ['x'], 'a-b', []), undefined);
});

test('another value has the same form and no character in common', () => {
  const value = otherValue('randAlphaNum', 'azAZ09xf') as string;
  assert.match(value, /^[a-z]{2}[A-Z]{2}\d{2}[a-z]{2}$/);
  for (const [index, character] of [...value].entries()) assert.notEqual(character, 'azAZ09xf'[index]);
  assert.match(
    otherValue('uuidv4', '0f8fad5b-d9cb-469f-a165-70867728950e') as string,
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  );
  assert.equal(otherValue('genCA', { Cert: 'x', Key: 'y' }), undefined);
  assert.notEqual(otherValue('now', '1700000000000'), '1700000000000');
});
