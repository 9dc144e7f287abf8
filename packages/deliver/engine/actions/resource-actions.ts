import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, parseApiVersion } from '@tiphys/kubernetes';
import type { ActionContext, ActionEffect, ActionInfo, BundledAction, KindActions } from './action.ts';
import { argoActions } from './argo-actions.ts';
import { numaprojActions } from './numaproj-actions.ts';
import { operatorActions } from './operator-actions.ts';
import { type ActionSetting, ScriptedActions } from './scripted-actions.ts';
import { workloadActions } from './workload-actions.ts';

const actionUnknown = defineDiagnosis('ActionUnknown', 'An action was asked for that an object does not have now');
const actionRefused = defineDiagnosis(
  'ActionRefused',
  'An action cannot be done with the parameters that it was given',
);

const bundled: Readonly<Record<string, KindActions>> = {
  ...workloadActions,
  ...argoActions,
  ...numaprojActions,
  ...operatorActions,
};

/** What can be done to objects: by the settings, which replace or extend the bundled actions of a kind, and by those. */
export class ResourceActions {
  readonly #settings: readonly ActionSetting[];
  readonly #scripted = new Map<string, ScriptedActions | undefined>();

  constructor(settings: readonly ActionSetting[]) {
    this.#settings = settings;
  }

  /** The actions of an object, sorted by name. Throws a diagnosis if a script fails. */
  available(object: KubeObject, now: number): ActionInfo[] {
    const scripted = this.#scriptsOf(object);
    const found = new Map<string, ActionInfo>();
    if (!scripted || scripted.mergeBundled)
      for (const { run: _run, ...info } of bundledOf(object)) found.set(info.name, info);
    for (const info of scripted?.discover(object, now) ?? []) found.set(info.name, info);
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * What an action would do. Whatever the settings define can be run, offered or not; of the bundled actions those that
   * are listed, disabled or not: as upstream, so that a script can pause what is paused. Throws a diagnosis that names the
   * actions that there are.
   */
  plan(object: KubeObject, name: string, context: ActionContext): ActionEffect[] {
    const scripted = this.#scriptsOf(object);
    if (scripted?.defines(name)) return scripted.run(name, object, context);
    const action = bundledOf(object).find((candidate) => candidate.name === name);
    const described = describeKey(keyOf(object));
    if (!action) {
      const known = this.available(object, context.now).map((candidate) => candidate.name);
      throw failure(actionUnknown, {
        message: `action "${name}" is not available for ${object.kind} ${object.metadata.name}; available: ${known.join(', ') || 'none'}`,
        place: { object: described },
        remedies: ['Run one of those that are available'],
      });
    }
    const result = action.run(object, context);
    if (typeof result === 'string') {
      throw failure(actionRefused, {
        message: result,
        place: { object: described },
        remedies: ['Correct the parameters'],
      });
    }
    if ('create' in result) return [{ operation: 'create', object: result.create }];
    return [{ operation: 'patch', object, patch: result.patch }];
  }

  #scriptsOf(object: KubeObject): ScriptedActions | undefined {
    const name = nameOf(object, '');
    if (!this.#scripted.has(name)) {
      const setting = this.#settings.find(({ pattern, text }) => pattern === name && text.trim() !== '');
      this.#scripted.set(name, setting && new ScriptedActions(setting));
    }
    return this.#scripted.get(name);
  }
}

function bundledOf(object: KubeObject): BundledAction[] {
  return bundled[nameOf(object, '/')]?.(object) ?? [];
}

function nameOf({ apiVersion, kind }: KubeObject, core: string): string {
  const { group } = parseApiVersion(apiVersion);
  return group ? `${group}/${kind}` : `${core}${kind}`;
}
