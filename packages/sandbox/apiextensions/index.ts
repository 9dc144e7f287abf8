export { escapeName } from './cel-schema.ts';
export { type Converter, customResource } from './custom-resource.ts';
export { customResourceDefinition } from './definition-strategy.ts';
export { customDocument, type OpenApiDocument, v2Definitions } from './openapi-documents.ts';
export { customPaths } from './openapi-paths.ts';
export { AGE, NAME } from './printer-columns.ts';
export { publishedSchema } from './published-schema.ts';
