import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

/** How the manifests of an application were made: `GET /api/tiphys/v1/applications/NAME/renders`. */
let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

interface Account {
  found: string;
  revision: string;
  inputs: string;
  output: string;
  changed: string[];
  why: string;
}

const path = (name: string) => `/api/tiphys/v1/applications/${name}/renders`;

test('each render tells whether it was found again, by what, and why it was made anew', async () => {
  const repository = world.repository({ 'shop/a.yaml': configMap('one', '1'), 'other/b.yaml': configMap('two', '2') });
  const targetNamespace = await world.targetNamespace();
  await world.createApplication('rendered-again', repository, { path: 'shop', targetNamespace });
  const at = async (revision: string) => {
    await world.waitForApplication(
      'rendered-again',
      `compared at ${revision}`,
      (app) => app.status?.sync?.revision === revision,
    );
    const { body } = await world.rest<{ items: Account[] }>('GET', path('rendered-again'));
    return body.items[0] as Account;
  };
  const first = await at(repository.git('rev-parse', 'HEAD'));
  assert.deepEqual([first.found, first.why], ['rendered', 'Rendered anew: nothing was kept for what is read']);

  const second = await at(repository.commit({ 'other/b.yaml': configMap('two', '3') }));
  assert.match(
    second.why,
    /^Found in memory: the revision moved, and touches nothing of the \d+ paths? and the settings/,
  );
  assert.deepEqual([second.inputs, second.output, second.changed], [first.inputs, first.output, []]);

  const third = await at(repository.commit({ 'shop/a.yaml': configMap('one', '2') }));
  assert.equal(third.found, 'rendered');
  assert.ok(third.changed.includes('shop/a.yaml'), third.changed.join());
  assert.match(third.why, /^Rendered anew: .* changed$/);
  assert.notEqual(third.inputs, first.inputs);

  await world.rest('GET', '/api/v1/applications/rendered-again?refresh=hard');
  const [hard] = (await world.rest<{ items: Account[] }>('GET', path('rendered-again'))).body.items;
  assert.deepEqual([hard?.found, hard?.why], ['rendered', 'Rendered anew: a hard refresh was asked for']);
  assert.equal(hard?.inputs, third.inputs);
});

test('who may not see the application is not told, and neither whether it exists', async () => {
  const stranger = await fetch(`${world.url}${path('rendered-again')}`);
  assert.equal(stranger.status, 401);
  assert.equal((await world.rest('GET', path('not-there'))).status, 403);
  assert.equal((await world.rest('POST', path('rendered-again'), {})).status, 405);
});
