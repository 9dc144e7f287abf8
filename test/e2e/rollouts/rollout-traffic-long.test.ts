import { describe, test } from 'node:test';
import { nginx, updateUnderLoad } from './update-under-load.ts';

/** Each waits for the workers of nginx to let go of their connections: fewer of them take as long. */
const updatesOfNginx = 25;
const updates = 100 - updatesOfNginx;

describe('no request fails', { concurrency: true }, () => {
  test(`in ${updates} updates`, (t) => updateUnderLoad(t, { updates }));

  test(`in ${updatesOfNginx} updates behind a real nginx`, { skip: nginx ? false : 'there is no nginx' }, (t) =>
    updateUnderLoad(t, { updates: updatesOfNginx, program: nginx }),
  );
});
