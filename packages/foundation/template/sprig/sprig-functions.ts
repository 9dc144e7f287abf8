import { sprigRules } from '../trace/rules/sprig-rules.ts';
import { define, FunctionError, type FunctionMap, type FunctionSpec, withTraces } from '../value/function-spec.ts';
import { cryptoFunctions } from './crypto.ts';
import { dateFunctions } from './dates.ts';
import { dictFunctions } from './dicts.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { pathFunctions } from './paths.ts';
import { regexFunctions } from './regexes.ts';
import { semverFunctions } from './semvers.ts';
import { stringFunctions } from './strings.ts';
import { urlFunctions } from './urls.ts';
import { valueFunctions } from './values.ts';

const groups: readonly ReadonlyMap<string, FunctionSpec>[] = [
  stringFunctions,
  numberFunctions,
  valueFunctions,
  listFunctions,
  dictFunctions,
  pathFunctions,
  regexFunctions,
  semverFunctions,
  urlFunctions,
  dateFunctions,
  cryptoFunctions,
];

const outside: [string, FunctionSpec][] = [
  // Templates see neither the environment nor the network.
  ['env', define('string', () => '')],
  ['expandenv', define('string', ([text]) => (text as string).replace(/\$(?:\{\w+\}|\w+)/g, ''))],
  ['getHostByName', define('string', () => '')],
  [
    'fail',
    define('string', ([message]) => {
      throw new FunctionError(message as string);
    }),
  ],
];

/** All of Sprig v3. Environment and network are empty; randomness and time come from the recorder. */
export const sprigFunctions: FunctionMap = withTraces(
  new Map([...groups.flatMap((group) => [...group]), ...outside]),
  sprigRules,
);
