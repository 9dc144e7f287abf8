import type { KubeObject } from '@tiphys/kubernetes';

/** Something that can be done to a live object, as the API lists it. */
export interface ActionInfo {
  readonly name: string;
  readonly disabled?: boolean;
  readonly iconClass?: string;
  readonly displayName?: string;
  readonly params?: readonly { readonly name: string }[];
}

/** What an action does: a merge patch of the named object, or a new object. */
export type ActionEffect =
  | { readonly operation: 'patch'; readonly object: KubeObject; readonly patch: unknown }
  | { readonly operation: 'create'; readonly object: KubeObject };

export interface ActionContext {
  readonly parameters: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a bundled action changes: a merge patch of its object, or a new object. A string is why it cannot be done. */
export type ActionResult = { readonly patch: unknown } | { readonly create: KubeObject } | string;

/** An action that comes with the product. */
export interface BundledAction extends ActionInfo {
  run(object: KubeObject, context: ActionContext): ActionResult;
}

/** The actions of a kind, for the state that an object is in. */
export type KindActions = (object: KubeObject) => BundledAction[];

/** An action that always makes the same change. */
export function change(info: ActionInfo, patch: unknown): BundledAction {
  return { ...info, run: () => ({ patch }) };
}

export function annotate(info: ActionInfo, annotations: Readonly<Record<string, string | null>>): BundledAction {
  return change(info, { metadata: { annotations } });
}

/** `2024-01-02T03:04:05`, in UTC. */
export function secondsOf(now: number): string {
  return new Date(now).toISOString().slice(0, 19);
}

/** `202401020304`, in UTC. */
export function minuteOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:T]/g, '').slice(0, 12);
}
