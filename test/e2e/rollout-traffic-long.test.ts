import { test } from 'node:test';
import { nginx, updateUnderLoad } from './update-under-load.ts';

const updates = 100;
const timeout = 3_600_000;

test(`no request fails in ${updates} updates`, { timeout }, (t) => updateUnderLoad(t, { updates }));

test(
  `no request fails in ${updates} updates behind a real nginx`,
  { timeout, skip: nginx ? false : 'there is no nginx' },
  (t) => updateUnderLoad(t, { updates, program: nginx }),
);
