/** What the build makes of api/crds. */
declare module 'virtual:application-schema' {
  import type { Schema } from './objects/schema.ts';

  export const applicationSchema: Schema;
}
