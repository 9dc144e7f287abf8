import { test } from 'node:test';
import { nginx, updateUnderLoad } from './update-under-load.ts';

test('no request fails while a canary is updated, promoted and aborted behind an Ingress', (t) =>
  updateUnderLoad(t, { updates: 6 }));

test('no request fails behind a real nginx', { skip: nginx ? false : 'there is no nginx' }, (t) =>
  updateUnderLoad(t, { updates: 3, program: nginx }),
);
