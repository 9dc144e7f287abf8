export { type JsonValue, lineOf, parseDocuments, parseYaml, type YamlDocument } from './documents.ts';
export { formatFloat, formatJsonFloat } from './print/format-float.ts';
export { type Printable, type PrintObserver, type PrintOptions, printYaml } from './print/print-yaml.ts';
export type { Shape } from './read/decode.ts';
export type { DocumentNode, YamlNode } from './read/node.ts';
export { quickRead, type Wanted } from './read/quick-read.ts';
export { defaultYamlLimits, type ReadOptions, type YamlLimits, YamlReader } from './read/read.ts';
export { type Resolved, resolvePlain, resolveTagged } from './read/resolve.ts';
export { YamlError } from './read/yaml-error.ts';
