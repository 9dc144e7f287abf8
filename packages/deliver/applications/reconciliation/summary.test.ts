import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { TreeNode } from '@tiphys/engine';
import { summaryOf } from './summary.ts';

const application = (annotations: Record<string, string> = {}) =>
  ({ metadata: { name: 'shop', annotations } }) as unknown as Application;
const node = (images: string[], externalURLs?: string[]) =>
  ({ images, ...(externalURLs ? { networking: { externalURLs } } : {}) }) as unknown as TreeNode;

test('images and addresses are told once and in order', () => {
  assert.deepEqual(summaryOf([node(['b:1', 'a:1']), node(['a:1'], ['https://z'])], application()), {
    images: ['a:1', 'b:1'],
    externalURLs: ['https://z'],
  });
  assert.deepEqual(summaryOf([], application()), {});
});

test('links of annotations count as addresses if a browser may follow them', () => {
  const annotations = {
    'link.argocd.argoproj.io/a': 'https://example.com',
    'link.argocd.argoproj.io/b': 'javascript:alert(1)',
    'example.com/c': 'https://example.org',
  };
  assert.deepEqual(summaryOf([], application(annotations)), { externalURLs: ['https://example.com'] });
});
