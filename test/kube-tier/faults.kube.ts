import { after, before, describe, test } from 'node:test';
import { World } from '../e2e/support/world.ts';
import { runFault } from '../faults/run-fault.ts';
import { applicationFaults } from '../faults/table.ts';

/** Failures whose words are those of an API server: rights, webhooks, quotas, fields, namespaces, groups, versions. */
const ofServer: ReadonlySet<string> = new Set(
  'C1 C3 C4 C6 C8 C11 C12 C13 C14 C17 C19 C20 M11 M12 ObjectInvalid'.split(' '),
);
/** The API server reaches Services by the proxy that its environment names, if there is one. */
const notHere: ReadonlySet<string> = new Set(['an admission webhook whose service has no endpoints']);
const wanted = (process.env.TIPHYS_FAULTS ?? '').split(',').filter(Boolean);
const rows = applicationFaults.filter(
  ({ id, title }) =>
    ofServer.has(id) &&
    !notHere.has(title) &&
    (wanted.length === 0 || wanted.some((word) => `${id} ${title}`.includes(word))),
);

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world?.close());

describe('a refusal of a real API server is told as that of the sandbox', { concurrency: 4 }, () => {
  for (const [index, fault] of rows.entries())
    test(`${fault.id}: ${fault.title}`, () => runFault(world, fault, `${fault.id.toLowerCase()}-${index}`));
});
