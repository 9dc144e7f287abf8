import type { Application, ApplicationSpec } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { TestRepository } from '../e2e/support/repository.ts';
import type { World } from '../e2e/support/world.ts';

/** Where one fault is injected: an application of its own, with a repository and a namespace of its own. */
export interface Stage {
  readonly world: World;
  /** Of the Application. */
  readonly name: string;
  /** That it deploys to. */
  readonly namespace: string;
  readonly repository: TestRepository;
  commit(files: Readonly<Record<string, string | undefined>>): string;
  patch(spec: object): Promise<void>;
  /** Creates an object, in the stage's namespace unless it names one, and deletes it when the fault is over. */
  create(object: KubeObject): Promise<KubeObject>;
  /** Asks for a sync, as `argocd app sync` does. */
  sync(request?: object): Promise<void>;
  refresh(): Promise<void>;
  /** Resolves when the application is as wanted. */
  until(what: string, holds: (application: Application) => boolean): Promise<Application>;
}

/** What there is before the application is. */
export interface Setting {
  readonly world: World;
  readonly name: string;
  readonly repository: TestRepository;
  /** Called when the row is over. */
  readonly closeLater: (close: () => Promise<void>) => void;
}

/** A row of the table: how a fault is injected, what must be shown of it, and how it ends. */
export interface Fault {
  /** Of the catalogue of failures. */
  readonly id: string;
  readonly title: string;
  /** What the repository holds at first; a ConfigMap if absent. */
  readonly files?:
    | Readonly<Record<string, string>>
    | ((stage: { namespace: string }) => Readonly<Record<string, string>>);
  readonly spec?: Partial<ApplicationSpec> | ((setting: Setting) => Promise<Partial<ApplicationSpec>>);
  /** The fault is there before the application is: else it is delivered and healthy first. */
  readonly fromStart?: boolean;
  /** No automated sync. */
  readonly manual?: boolean;
  readonly inject?: (stage: Stage) => Promise<unknown>;
  /** Code of the diagnosis that must be shown, with `id` as its cause unless `cause` says otherwise. */
  readonly code: string;
  readonly cause?: string;
  /** What the diagnosis must say, in any of its parts. */
  readonly contains: readonly RegExp[];
  readonly excludes?: readonly RegExp[];
  /** Ends the fault; the diagnosis must go then, and the application be Synced and Healthy unless `recovers` is false. */
  readonly mend?: (stage: Stage) => Promise<unknown>;
  readonly recovers?: boolean;
  /** It is of a registered cluster by the stage's name: the list of clusters tells of it, and of its end. */
  readonly cluster?: boolean;
  /** It is injected and ended once more: nothing of the first time may hide the second, or outlast it. */
  readonly twice?: boolean;
  /** Takes long by its nature (time-outs, back-offs): run by `npm run test:faults` alone. */
  readonly slow?: boolean;
}

export interface Shown extends Diagnosis {
  readonly condition: string;
}

export const shownBy = ({ status }: Application): Shown[] => (status?.diagnoses ?? []) as unknown as Shown[];
