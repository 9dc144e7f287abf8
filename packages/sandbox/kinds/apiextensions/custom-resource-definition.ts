import { customResourceDefinition } from '@tiphys/apiextensions';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { nameAndCreation } from '../shared/cells.ts';

export const customResourceDefinitions: BuiltinKind = {
  strategy: customResourceDefinition,
  cells: nameAndCreation,
};
