import type { Strategy } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Cells } from './cells.ts';
import type { Gated } from './gates.ts';

/** All that is said of one built-in kind beside its recorded schema. */
export interface BuiltinKind {
  /** What is special about its writes; that of a kind without rules of its own when absent. */
  readonly strategy?: Strategy;
  /** Cells of a row of its table, in the order of its columns; name and age when absent. */
  readonly cells?: Cells;
  /** Fields that a kube-apiserver with its default feature gates does not know. */
  readonly gated?: Gated;
  /** What a row says of an object besides its cells. */
  readonly rowConditions?: (object: KubeObject) => readonly object[];
  /** Order of the rows of a list; that of the keys when absent. */
  readonly rowOrder?: (a: KubeObject, b: KubeObject) => number;
}
