import assert from 'node:assert/strict';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { World } from '../e2e/support/world.ts';
import { Terminal } from './terminal.ts';

interface Object {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface Listed {
  readonly items: readonly (Told & { readonly namespace: string; readonly name: string })[];
}

interface Told {
  readonly diagnoses?: readonly Diagnosis[];
}

/** Where users look at an object of a family besides its status: the API that the page asks, and the command line. */
export class FamilySurfaces {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Fails unless each surface shows the diagnosis with its first remedy. */
  async assertShow(object: Object, diagnosis: Diagnosis): Promise<void> {
    // experiments are shown by the command line alone
    const told = object.kind === 'Experiment' ? [diagnosis] : await this.#byApi(object);
    assert.ok(
      told.some(({ code }) => code === diagnosis.code),
      `the API shows ${diagnosis.code}: ${JSON.stringify(told)}`,
    );
    const terminal = await Terminal.of(this.#world);
    const printed = await terminal.run(...commandOf(object, terminal.kubeconfig));
    assert.ok(printed.includes(diagnosis.code), `the command line shows ${diagnosis.code}: ${printed}`);
    const remedy = diagnosis.remedies[0]?.text ?? '';
    assert.ok(printed.includes(remedy), `with its remedy ${remedy}: ${printed}`);
  }

  async #byApi({ kind, namespace, name }: Object): Promise<readonly Diagnosis[]> {
    const own = '/api/tiphys/v1';
    if (kind === 'ApplicationSet') {
      const { body } = await this.#world.rest<{ status?: Told }>('GET', `/api/v1/applicationsets/${name}`);
      return body.status?.diagnoses ?? [];
    }
    if (kind === 'Rollout' || kind === 'Workflow') {
      const { body } = await this.#world.rest<Told>('GET', `${own}/${kind.toLowerCase()}s/${namespace}/${name}`);
      return body.diagnoses ?? [];
    }
    const list = { EventBus: 'buses', EventSource: 'sources', Sensor: 'sensors' }[kind];
    const { body } = await this.#world.rest<Listed>('GET', `${own}/events/${list}`);
    return body.items.find((item) => item.namespace === namespace && item.name === name)?.diagnoses ?? [];
  }
}

function commandOf({ kind, namespace, name }: Object, kubeconfig: string): string[] {
  const cluster = ['-n', namespace, '--kubeconfig', kubeconfig];
  if (kind === 'ApplicationSet') return ['appset', 'get', name];
  if (kind === 'Rollout' || kind === 'Experiment') return ['rollouts', 'get', kind.toLowerCase(), name, ...cluster];
  if (kind === 'Workflow') return ['workflows', 'get', name, ...cluster];
  const word = { EventBus: 'bus', EventSource: 'source', Sensor: 'sensor' }[kind] ?? '';
  return ['events', 'describe', word, name, '-n', namespace];
}
