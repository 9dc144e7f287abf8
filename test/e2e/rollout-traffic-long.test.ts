import { test } from 'node:test';
import { nginx, updateUnderLoad } from './update-under-load.ts';

const updates = 100;
/** Each waits for the workers of nginx to let go of their connections: fewer of them take as long. */
const updatesOfNginx = 20;

test(`no request fails in ${updates} updates`, (t) => updateUnderLoad(t, { updates }));

test(
  `no request fails in ${updatesOfNginx} updates behind a real nginx`,
  { skip: nginx ? false : 'there is no nginx' },
  (t) => updateUnderLoad(t, { updates: updatesOfNginx, program: nginx }),
);
