/** What the build makes of docs/diagnoses.md: each code with what is written below it. */
declare module 'virtual:diagnoses' {
  export const diagnoses: readonly { readonly code: string; readonly text: string }[];
}

/** What the build makes of api/crds. */
declare module 'virtual:application-schema' {
  import type { Schema } from './objects/schema.ts';

  export const applicationSchema: Schema;
}
