import type { GoType } from '@tiphys/template';

/** The type of methods as values; their parameters are in their specifications. */
export const methodType: GoType = Object.freeze({ name: 'func', kind: 'func', named: false });
