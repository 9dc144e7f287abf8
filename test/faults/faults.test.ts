import { after, before, describe, test } from 'node:test';
import { rolloutsDefinitions, workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { systemClock } from '@tiphys/kubernetes';
import { World } from '../e2e/support/world.ts';
import { runFault } from './run-fault.ts';
import { applicationFaults } from './table.ts';

/** `all` takes the slow rows too; other words take only rows whose id or title contains one. */
const wanted = process.env.TIPHYS_FAULTS ?? '';
const chosen = applicationFaults.filter(({ id, title, slow }) =>
  wanted === '' || wanted === 'all'
    ? wanted === 'all' || !slow
    : wanted.split(',').some((word) => `${id} ${title}`.includes(word)),
);

let world: World;
before(async () => {
  world = await World.start();
  // of kinds whose controllers do not run here
  await ensureDefinitions(world.client, [...rolloutsDefinitions(), ...workflowsDefinitions()], systemClock);
});
after(() => world.close());

describe('a fault is shown with its cause, evidence and remedy, and is gone after its end', { concurrency: 6 }, () => {
  for (const [index, fault] of chosen.entries())
    test(`${fault.id}: ${fault.title}`, () => runFault(world, fault, `${fault.id.toLowerCase()}-${index}`));
});
