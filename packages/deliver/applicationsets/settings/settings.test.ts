import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

const read = (data: Record<string, string>, env: Record<string, string> = {}, last?: ReturnType<typeof readSettings>) =>
  readSettings(
    new Map(Object.entries(data).map(([key, value]) => [`applicationsetcontroller.${key}`, value])),
    env,
    last,
  );
const messages = ({ notices }: ReturnType<typeof readSettings>) => notices.map(({ message }) => message);

test('a value that cannot be read is told with its key, and what held before goes on', () => {
  const good = read({ policy: 'create-update', namespaces: 'team-*', 'deletion.limit.count': '7', dryrun: 'true' });
  assert.deepEqual(messages(good), []);
  const bad = read(
    { policy: 'create-updates', namespaces: 'team-[', 'deletion.limit.count': 'many', dryrun: 'yes' },
    {},
    good,
  );
  const { policy, namespaces, deletionCount, dryRun } = bad;
  assert.deepEqual(
    { policy, namespaces, deletionCount, dryRun },
    {
      policy: 'create-update',
      namespaces: ['team-*'],
      deletionCount: 7,
      dryRun: true,
    },
  );
  const [first, second, ...others] = messages(bad);
  assert.equal(
    first,
    'applicationsetcontroller.policy is ignored: found "create-updates", wanted sync, create-only, create-update, create-delete',
  );
  assert.match(second ?? '', /^applicationsetcontroller\.namespaces is ignored: found "team-\[", entry 1 of "team-\["/);
  assert.deepEqual(others, [
    'applicationsetcontroller.dryrun is ignored: found "yes", wanted true or false',
    'applicationsetcontroller.deletion.limit.count is ignored: found "many", wanted a number from 0 on',
  ]);
});

test('of a policy that never could be read nothing is changed and nothing deleted', () => {
  assert.equal(read({ policy: 'none' }).policy, 'create-only');
  assert.equal(read({}).policy, 'sync');
});

test('a variable of the environment wins, and is what is named', () => {
  const settings = read({ 'requeue.after': '5m' }, { ARGOCD_APPLICATIONSET_CONTROLLER_REQUEUE_AFTER: 'soon' });
  assert.equal(settings.requeueAfter, 180_000);
  const [notice] = settings.notices;
  assert.match(notice?.message ?? '', /^ARGOCD_APPLICATIONSET_CONTROLLER_REQUEUE_AFTER is ignored: found "soon"/);
  assert.deepEqual(notice?.place, { field: 'ARGOCD_APPLICATIONSET_CONTROLLER_REQUEUE_AFTER' });
});
