/** Every function that is built in. */
export const builtinNames: ReadonlySet<string> = new Set(
  `all none any one filter map find findIndex findLast findLastIndex count sum groupBy sortBy reduce len type abs ceil
  floor round int float string trim trimPrefix trimSuffix upper lower split splitAfter replace repeat join indexOf
  lastIndexOf hasPrefix hasSuffix max min mean median toJSON fromJSON toBase64 fromBase64 now duration date timezone
  first last get take keys values toPairs fromPairs reverse uniq concat flatten sort bitand bitor bitxor bitnand bitshl
  bitshr bitushr bitnot`.split(/\s+/),
);
