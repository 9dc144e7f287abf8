import type { Draft } from './families.ts';

/** Objects of families that rows of several tables begin with. */
export const noPods: Draft = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'none' },
  spec: { hard: { pods: '0' } },
};

export const workflow = (spec: object): Draft => ({
  kind: 'Workflow',
  metadata: { name: 'x' },
  spec: {
    entrypoint: 'main',
    templates: [{ name: 'main', container: { image: 'a', command: ['true'] } }],
    ...spec,
  },
});
export const asleep = { name: 'main', container: { image: 'a', command: ['sleep', '600'] } };
