import type { KubeObject } from '@tiphys/kubernetes';
import type { User } from './access/user.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { FieldErrors } from './errors/field-errors.ts';
import type { ServerContext } from './server-context.ts';

/** What a write knows besides the object. */
export interface WriteContext {
  readonly server: ServerContext;
  readonly dryRun: boolean;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly user: User;
  /** Tells the caller of something, whatever comes of the write. */
  warn(text: string): void;
}

/**
 * What is special about one resource. All functions may change `object` in place (it is private to the request) and never
 * `old`. Order of a write: decode → `defaults` → mutating admission (`admit` on creation) → `prepareCreate`/
 * `prepareUpdate` → `validate`(+`validateUpdate`) → validating admission → store.
 */
export interface Strategy {
  /** `metadata.generation` counts changes of everything but metadata and status; a constant one stays 1. */
  readonly generation: boolean | 'constant';
  readonly statusSubresource: boolean;
  readonly defaults?: (object: KubeObject) => void;
  /** What the default admission plugins do to a new object, before webhooks see it; once more after they changed it. */
  readonly admit?: (object: KubeObject, context: { readonly server: ServerContext }) => void;
  readonly prepareCreate?: (object: KubeObject, context: WriteContext) => void;
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  /** Of a write of the status. */
  readonly prepareStatus?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  readonly validate?: (object: KubeObject, errors: FieldErrors, context: WriteContext) => void;
  /** What only a new object may not have. */
  readonly validateCreate?: (object: KubeObject, errors: FieldErrors, context: WriteContext) => void;
  readonly validateUpdate?: (object: KubeObject, old: KubeObject, errors: FieldErrors, context: WriteContext) => void;
  /** An update is told what may not change before what is wrong anyway. */
  readonly updateRulesFirst?: boolean;
  readonly validateStatus?: (object: KubeObject, old: KubeObject, errors: FieldErrors, context: WriteContext) => void;
  /** Whether the caller may write what is in the object, before it is validated: throws a StatusError to refuse it. */
  readonly permit?: (object: KubeObject, context: WriteContext) => void;
  /** Rule for `metadata.name`; DNS subdomain when absent. */
  readonly nameRule?: (name: string, object: KubeObject) => string[];
  /** Of a write of the status. */
  readonly statusWarnings?: (object: KubeObject) => string[];
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => string[];
  /** Fields for field selectors besides metadata.name and metadata.namespace. */
  readonly fields?: (object: KubeObject) => Record<string, string>;
  /** What a deletion is warned of, before the object is looked for. */
  readonly deletionWarnings?: (options: DeleteOptions) => string[];
  /** Other names of these fields in field selectors. */
  readonly fieldAliases?: Readonly<Record<string, string>>;
  /** Finalizers that a deletion adds. */
  readonly deletionFinalizers?: readonly string[];
  /** Without a propagation policy what the object owns outlives it. */
  readonly orphansDependents?: boolean;
  /** Changes the object when its deletion begins and has to wait. */
  readonly onDeletion?: (object: KubeObject, context: WriteContext) => void;
  /** PUT of an object that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion is allowed. */
  readonly unconditionalUpdate?: boolean;
  /** An update is checked by the rule for new names too, which only `generateName` can break by then. */
  readonly metaRulesOnUpdate?: boolean;
  readonly afterWrite?: (object: KubeObject | undefined, old: KubeObject | undefined, context: WriteContext) => void;
}
