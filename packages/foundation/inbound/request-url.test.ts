import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestUrl } from './index.ts';

test('every target of a request has a path', () => {
  const parts = (url: string | undefined) => {
    const { host, pathname, search } = requestUrl({ url });
    return [host, pathname, search];
  };
  assert.deepEqual(parts('/a?b=c'), ['localhost', '/a', '?b=c']);
  assert.deepEqual(parts('//'), ['localhost', '//', '']);
  assert.deepEqual(parts('//other/a?b'), ['localhost', '//other/a', '?b']);
  assert.deepEqual(parts('http://other:80/a'), ['localhost', '/a', '']);
  assert.deepEqual(parts('http://[?a'), ['localhost', '/', '?a']);
  assert.deepEqual(parts('*'), ['localhost', '/*', '']);
  assert.deepEqual(parts('@other'), ['localhost', '/@other', '']);
  assert.deepEqual(parts(':80/'), ['localhost', '/:80/', '']);
  assert.deepEqual(parts(''), ['localhost', '/', '']);
  assert.deepEqual(parts(undefined), ['localhost', '/', '']);
});
