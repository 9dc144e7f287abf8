import { test } from 'node:test';
import { updateUnderLoad } from './update-under-load.ts';

test('no request fails while a canary is updated, promoted and aborted behind an Ingress', (t) =>
  updateUnderLoad(t, 6));
