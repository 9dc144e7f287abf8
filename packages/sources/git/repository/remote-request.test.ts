import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFetchLimit } from './remote-request.ts';

test('the limit of a fetch is read in MiB, and refused with what is wanted', () => {
  assert.deepEqual(readFetchLimit(undefined), {});
  assert.deepEqual(readFetchLimit(' '), {});
  assert.deepEqual(readFetchLimit('5'), { fetch: 5 * 1024 * 1024 });
  for (const text of ['0', '-1', '1.5', '10Gi', '9'.repeat(30), 'constructor'])
    assert.throws(() => readFetchLimit(text), /TIPHYS_GIT_MAX_FETCH is "[^"]*": use a whole number of MiB/);
});
