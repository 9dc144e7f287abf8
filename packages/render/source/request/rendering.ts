import type { FieldOrigin } from './field-origins.ts';
import type { Outcome } from './outcome.ts';
import type { ReadPath } from './rendered.ts';

/** What one renderer gave for one source. */
export interface Rendering {
  readonly outcome: Outcome;
  readonly digest: string;
  readonly paths: readonly ReadPath[];
  readonly settings: string;
  readonly facts: Readonly<Record<string, string>>;
  /** Where the fields of the object come from that was to be explained. */
  readonly fields?: readonly FieldOrigin[];
}
